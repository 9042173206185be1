"""Programs that write verdicts."""

#: In which file each judge is, so that one can be used without reading all the others.
HOME = {
    "aspect": "llm.aspect",
    "claims": "llm.claims",
    "corpus": "llm.corpus",
    "declines": "rules.declines",
    "offline": "rules.lexical_screen",
    "pairwise": "llm.pairwise",
    "relevance": "llm.relevance",
    "rubric": "llm.rubric",
    "rules": "rules.rules_judge",
    "similarity": "similarity",
    "sql": "sql.sql_judge",
    "supported": "llm.yes_no",
    "valid": "llm.yes_no",
}
