package io.palinode.retroscope.segment;

/**
 * The keys of a run of segments. They are forgotten as a whole, when the last segment of the run
 * is: so nothing has to be counted for each key, and keys that are written no more go in time.
 */
public final class KeyGeneration {
  private final KeyDictionary dictionary;
  private final long beganHlc;
  private long writtenBytes;

  // Under the log's lock.
  private KeyDictionary.View published;
  private long countedBytes;
  private int segments;
  private boolean over;

  public KeyGeneration(KeyDictionary dictionary, long beganHlc) {
    this.dictionary = dictionary;
    this.beganHlc = beganHlc;
    this.published = dictionary.view();
  }

  public KeyDictionary dictionary() {
    return dictionary;
  }

  /** Whether it has gone on for long enough, before the entries of {@code next}. */
  public boolean endsBefore(Segment next, long ageMaxHlc, long bytesMax) {
    return next.lastHlc() - beganHlc > ageMaxHlc
        || writtenBytes + dictionary.bytes() > bytesMax
        || dictionary.isFullFor(next.entries());
  }

  public void wrote(long bytes) {
    writtenBytes += bytes;
  }

  /** The keys that published segments refer to. */
  KeyDictionary.View published() {
    return published;
  }

  /** Returns by how much it has grown since it was last published. */
  public long publish() {
    published = dictionary.view();
    long grown = dictionary.bytes() - countedBytes;
    countedBytes += grown;
    return grown;
  }

  public void added() {
    segments++;
  }

  /** A segment of it is gone. Returns the memory that goes with it. */
  public long removed() {
    segments--;
    if (segments > 0) {
      return 0;
    }
    over = true;
    long gone = countedBytes;
    countedBytes = 0;
    return gone;
  }

  public boolean isOver() {
    return over;
  }
}
