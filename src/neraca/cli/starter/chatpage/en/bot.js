// What the page knows of a made-up library: a word of the question, and the answer.  One answer is wrong.
const BOT = {
  language: "en",
  title: "Library help",
  placeholder: "Type your question",
  send: "Send",
  writing: "Writing…",
  unknown: "Sorry, nothing about that.",
  known: [
    ["open", "The library is open from 8:00 to 21:00 on weekdays."],
    ["borrow", "You may borrow up to ten books for four weeks."],
    ["late", "A late book costs 1 euro a day."],
    ["renew", "Yes, you can renew books twice in your account."],
    ["card", "Bring your identity card to the front desk."],
  ],
};
