package io.palinode.retroscope.snapshot.file;

/** How a snapshot comes about. */
public enum Kind {
  /** All keys, as they are when it is asked for. */
  INSTANT(1),
  /** All keys, as they were at a time that the window-log reaches. */
  RETROSPECTIVE(2),
  /** The keys that differ from another snapshot, later or earlier than it. */
  INCREMENTAL(3),
  /** Another snapshot is moved to another time, in its place. */
  ROLLING(4);

  private final int code;

  Kind(int code) {
    this.code = code;
  }

  /** What stands for it in files. */
  public int code() {
    return code;
  }

  static Kind of(int code) {
    for (Kind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    throw new SnapshotException("a kind of snapshot must be 1 to 4: " + code);
  }
}
