"""Click models: how far users look down a list, and what they click once they see it."""

#: Name of a model → its file.
MODULE_BY_NAME = {
    "CCM": "click_chain",
    "CM": "cascade",
    "DBN": "dynamic_bayesian",
    "DCM": "dependent_click",
    "PBM": "position_based",
    "SDBN": "dynamic_bayesian",
}
