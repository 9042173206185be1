"""The web servers: one for rating together, one for reading runs, with one look and one set of guards.

To rate together, every rater has a link.  The link is the only way in.

**The page.**  `GET /r/TOKEN` returns the rating page of the rater with this token.  It has the tasks in the rater's own
order, and all earlier ratings of the rater from any browser, oldest first.

**Ratings.**  `POST /r/TOKEN/ratings` takes `{"ratings": [{"id", "task", "on", "value", "at"}, …]}` as
`application/json`, at most 1 MB and 1,000 ratings.  `id` is a name of at most 100 letters, digits and `._:-`; no two
ratings of a rater share one.  `at` is a time in ISO 8601; a missing or future time is replaced by that of arrival.
The answer is 200 with

    {"stored": ["ID", …], "refused": {"ID": "why", …}, "tasks": […]}

A rating that is `stored` is on disk; a browser may send it again, and it counts once.  A rating that is `refused` will
be refused again: its task is not on this page, its value is not on the scale, or another rating has its id.  A rating
without a valid id is in neither list.  `tasks` are the next tasks, if they depend on the ratings so far; the page adds
those that it lacks.  Any other status means that nothing was stored, and the browser keeps the ratings:

====  ==========================================================================================
400   the body is not JSON of this form, or `Host` does not name this server
403   the request comes from a page of another origin
404   no such link; all wrong links get the same answer
413   the body is too large
415   the body is not declared as JSON
503   the database cannot be written to at the moment; send the ratings again later
====  ==========================================================================================

**Questions of the rater's own**, only in a user study.  `POST /r/TOKEN/questions` takes `{"id", "query"}`.  The answer
is 200 with `{"task": {…}}` when question and answer are on disk, or 400 with `{"error": "why"}` if there is no answer.
A question that is sent again with the same `id` is not asked again.

This server serves nothing else.  To get the ratings out of the database, run `neraca rate export`.

**Runs.**  `neraca serve` shows the runs below a folder with the same guards, and changes nothing;
see `explorer_app.py`.
"""
