"""Programs that write verdicts."""

#: In which file a judge is that is not in one of its own name, so that it can be used without reading all the others.
HOME = {"supported": "yes_no", "valid": "yes_no"}
