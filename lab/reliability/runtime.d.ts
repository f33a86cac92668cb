/** The types of browsers, which the files of tests need, know nothing of the cache that is there from the start. */
interface CacheStorage {
  readonly default: Cache
}
