"""The servers: one look and one guard for rating together and for reading runs.

Where people rate together, every rater has a link, and nothing but the link lets anybody in.

**The page.**  `GET /r/TOKEN` is the rating page of the rater whose token it is: the tasks in the rater's own order, and
all ratings that the rater gave before, in whatever browser, with the newest of what was said last.

**Ratings.**  `POST /r/TOKEN/ratings` with `{"ratings": [{"id", "task", "on", "value", "at"}, …]}` as
`application/json`, at most 1 MB and 1,000 ratings; `id` is any name of at most 100 letters, digits and `._:-` that no
other rating of this rater has; `at` is ISO 8601, and a time that is missing or yet to come becomes that of arrival.
The answer is 200 with

    {"stored": ["ID", …], "refused": {"ID": "why", …}, "tasks": […]}

What is `stored` is on disk; it may be sent again as often as a browser likes, and counts once.  What is `refused` will
be refused again: it is about no task of this page, has no value of its scale, or has the id of another rating.  What
is in neither has no id that can be named.  `tasks` come next where what is asked follows from what was said; the page
adds those that it does not have.  Any other status means that nothing of it counts as stored, and the browser keeps it:

====  ==========================================================================================
400   the body is no such JSON, or the address in `Host` is not that of this server
403   the request comes from a page of another origin
404   no such link; all wrong links are answered alike
413   the body is too large
415   the body is not declared as JSON
503   the database cannot be written to just now; send it again later
====  ==========================================================================================

**Questions of the rater's own**, in a user study alone.  `POST /r/TOKEN/questions` with `{"id", "query"}`: the answer
is 200 with `{"task": {…}}`, question and answer being on disk, or 400 with `{"error": "why"}` where there is no answer;
sent again with the same `id` it is not asked again.

Nothing else is served there.  Ratings are taken out by whoever holds the database: `neraca rate export`.

**Runs.**  `neraca serve` shows the runs below a folder with the same guards, and changes nothing;
see `explorer_app.py`.
"""
