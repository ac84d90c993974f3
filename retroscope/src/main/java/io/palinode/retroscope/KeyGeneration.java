package io.palinode.retroscope;

/**
 * The keys of a run of segments. They are forgotten as a whole, when the last segment of the run
 * is: so nothing has to be counted for each key, and keys that are written no more go in time.
 */
final class KeyGeneration {
  private final KeyDictionary dictionary;
  private final long beganHlc;
  private long writtenBytes;

  // Under the log's lock.
  private KeyDictionary.View published;
  private long countedBytes;
  private int segments;
  private boolean over;

  KeyGeneration(KeyDictionary dictionary, long beganHlc) {
    this.dictionary = dictionary;
    this.beganHlc = beganHlc;
    this.published = dictionary.view();
  }

  KeyDictionary dictionary() {
    return dictionary;
  }

  /** Whether it has gone on for long enough, before the entries of {@code next}. */
  boolean endsBefore(Segment next, long ageMaxHlc, long bytesMax) {
    return next.lastHlc() - beganHlc > ageMaxHlc
        || writtenBytes + dictionary.bytes() > bytesMax
        || dictionary.isFullFor(next.entries());
  }

  void wrote(long bytes) {
    writtenBytes += bytes;
  }

  /** The keys that published segments refer to. */
  KeyDictionary.View published() {
    return published;
  }

  /** Returns by how much it has grown since it was last published. */
  long publish() {
    published = dictionary.view();
    long grown = dictionary.bytes() - countedBytes;
    countedBytes += grown;
    return grown;
  }

  void added() {
    segments++;
  }

  /** A segment of it is gone. Returns the memory that goes with it. */
  long removed() {
    segments--;
    if (segments > 0) {
      return 0;
    }
    over = true;
    long gone = countedBytes;
    countedBytes = 0;
    return gone;
  }

  boolean isOver() {
    return over;
  }
}
