"""Programs that write verdicts."""

#: The file of each judge, so that a judge can be used without importing all the others.
MODULE_BY_NAME = {
    "aspect": "llm.aspect",
    "claims": "llm.claims",
    "consistent": "llm.sessions",
    "corpus": "llm.corpus",
    "declines": "rules.declines",
    "offline": "rules.lexical_screen",
    "pairwise": "llm.pairwise",
    "relevance": "llm.relevance",
    "remembers": "llm.sessions",
    "resolves": "llm.sessions",
    "rubric": "llm.rubric",
    "rules": "rules.rules_judge",
    "similarity": "similarity",
    "sql": "sql.sql_judge",
    "stays": "llm.sessions",
    "supported": "llm.yes_no",
    "valid": "llm.yes_no",
}
