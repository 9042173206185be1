"""User models of clicks: who looks how far down, and what is clicked once it is seen."""

#: In which file each model is.
HOME = {
    "CCM": "click_chain",
    "CM": "cascade",
    "DBN": "dynamic_bayesian",
    "DCM": "dependent_click",
    "PBM": "position_based",
    "SDBN": "dynamic_bayesian",
}
