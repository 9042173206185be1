// What was said, on disk.  A browser that is killed, or loses power, forgets what its localStorage took in the last
// seconds; a strict transaction of IndexedDB is on disk when it ends.  A tab that is closed may cut off a transaction,
// but never what localStorage took, so the page writes both.
//
// disk.put(key, rating) keeps a rating; disk.all(prefix) -> a promise of the ratings whose keys begin so.  Where a
// browser has no IndexedDB, as in some private windows, put does nothing and all gives [].
"use strict";
globalThis.disk = (() => {
  const STORE = "ratings";
  const opened = new Promise((done) => {
    try {
      const request = indexedDB.open("neraca", 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE);
      request.onsuccess = () => done(request.result);
      request.onerror = () => done(null);
    } catch {
      done(null);
    }
  });
  const put = async (key, rating) => {
    const database = await opened;
    const durability = rating.sent ? "relaxed" : "strict"; // a server has on disk what was sent
    database?.transaction(STORE, "readwrite", { durability }).objectStore(STORE).put(rating, key);
  };
  const all = async (prefix) => {
    const database = await opened;
    if (!database) return [];
    const request = database.transaction(STORE).objectStore(STORE).getAll(IDBKeyRange.bound(prefix, `${prefix}\uffff`));
    return new Promise((done) => {
      request.onsuccess = () => done(request.result);
      request.onerror = () => done([]);
    });
  };
  return { put, all };
})();
