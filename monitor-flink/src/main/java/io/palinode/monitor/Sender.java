package io.palinode.monitor;

/** An incarnation of a node on a partition, in one epoch. */
public record Sender(Channel channel, long incarnation, long epoch) {
  /** Of a record that no node published. */
  static final Sender NONE = new Sender(new Channel(0, 0), 0, 0);

  /** Parses the result of {@link #toString}. Throws {@link IllegalArgumentException}. */
  public static Sender parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length != 4) {
      throw new IllegalArgumentException("a place must have four numbers: '" + text + "'");
    }
    return new Sender(
        new Channel(Integer.parseInt(parts[0]), Integer.parseInt(parts[1])),
        Long.parseLong(parts[2]),
        Long.parseLong(parts[3]));
  }

  /** {@code <partition>/<node>/<incarnation>/<epoch>}, as in the job's state. */
  @Override
  public String toString() {
    return channel + "/" + incarnation + "/" + epoch;
  }
}
