package io.palinode.voldemort.protocol;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The version of a value: how many writes each node was the first to accept. Immutable.
 *
 * <p>The timestamp is the writer's wall clock in milliseconds. It is carried along, and breaks ties
 * between concurrent versions, but has no part in {@link #equals} and {@link #compare}.
 *
 * <pre>
 * +---------+--------+----------------------------------------------+----------------+
 * | entries | s      | entries × (node id: i16, counter: s bytes)   | timestamp, ms  |
 * | i16     | u8     | ascending node id, big-endian                | i64            |
 * +---------+--------+----------------------------------------------+----------------+
 * </pre>
 *
 * {@code s} is the least size that holds the greatest counter, 1 for an empty clock. Readers of a
 * stored value recompute it, so any other size is refused.
 */
public final class VectorClock {
  public static final int NODE_MAX = Short.MAX_VALUE;
  public static final VectorClock EMPTY = new VectorClock(new short[0], new long[0], 0);

  private static final int HEADER_BYTES = Short.BYTES + 1;

  private final short[] nodes;
  private final long[] counters;
  private final long timestampMs;

  private VectorClock(short[] nodes, long[] counters, long timestampMs) {
    if (nodes.length > NODE_MAX) {
      throw new IllegalArgumentException(
          "a clock must have at most %d entries: entries=%d".formatted(NODE_MAX, nodes.length));
    }
    this.nodes = nodes;
    this.counters = counters;
    this.timestampMs = timestampMs;
  }

  /** Throws {@link IllegalArgumentException} for a node id or counter out of range. */
  public static VectorClock of(SortedMap<Integer, Long> entries, long timestampMs) {
    short[] nodes = new short[entries.size()];
    long[] counters = new long[entries.size()];
    int i = 0;
    for (var entry : entries.entrySet()) {
      nodes[i] = nodeId(entry.getKey());
      counters[i++] = counter(entry.getValue());
    }
    return new VectorClock(nodes, counters, timestampMs);
  }

  /** How this clock stands to another. */
  public enum Relation {
    /** The other one has seen all of this one's writes, and more. */
    BEFORE,
    AFTER,
    EQUAL,
    CONCURRENT
  }

  public Relation compare(VectorClock other) {
    boolean less = false;
    boolean greater = false;
    int i = 0;
    int j = 0;
    while (i < nodes.length || j < other.nodes.length) {
      if (j == other.nodes.length || (i < nodes.length && nodes[i] < other.nodes[j])) {
        greater = true;
        i++;
      } else if (i == nodes.length || nodes[i] > other.nodes[j]) {
        less = true;
        j++;
      } else {
        less |= counters[i] < other.counters[j];
        greater |= counters[i++] > other.counters[j++];
      }
    }
    if (less && greater) {
      return Relation.CONCURRENT;
    }
    return less ? Relation.BEFORE : greater ? Relation.AFTER : Relation.EQUAL;
  }

  /** Whether the other version supersedes this one or is the same. */
  public boolean isAtMost(VectorClock other) {
    Relation relation = compare(other);
    return relation == Relation.BEFORE || relation == Relation.EQUAL;
  }

  /** The version that {@code node} accepts on top of this one. */
  public VectorClock incremented(int node, long newTimestampMs) {
    short id = nodeId(node);
    int at = Arrays.binarySearch(nodes, id);
    if (at >= 0) {
      long[] grown = counters.clone();
      grown[at] = Math.addExact(grown[at], 1);
      return new VectorClock(nodes, grown, newTimestampMs);
    }
    int insertion = -at - 1;
    short[] newNodes = new short[nodes.length + 1];
    long[] newCounters = new long[nodes.length + 1];
    System.arraycopy(nodes, 0, newNodes, 0, insertion);
    System.arraycopy(counters, 0, newCounters, 0, insertion);
    newNodes[insertion] = id;
    newCounters[insertion] = 1;
    System.arraycopy(nodes, insertion, newNodes, insertion + 1, nodes.length - insertion);
    System.arraycopy(counters, insertion, newCounters, insertion + 1, nodes.length - insertion);
    return new VectorClock(newNodes, newCounters, newTimestampMs);
  }

  /** The least clock that both are at most; the newer timestamp. */
  public VectorClock merge(VectorClock other) {
    TreeMap<Integer, Long> merged = new TreeMap<>(entries());
    for (int i = 0; i < other.nodes.length; i++) {
      merged.merge((int) other.nodes[i], other.counters[i], Math::max);
    }
    return of(merged, Math.max(timestampMs, other.timestampMs));
  }

  /** Node id to counter; a copy. */
  public SortedMap<Integer, Long> entries() {
    TreeMap<Integer, Long> entries = new TreeMap<>();
    for (int i = 0; i < nodes.length; i++) {
      entries.put((int) nodes[i], counters[i]);
    }
    return Collections.unmodifiableSortedMap(entries);
  }

  /** 0 where the node has no entry. */
  public long counter(int node) {
    for (int i = 0; i < nodes.length; i++) {
      if (nodes[i] == node) {
        return counters[i];
      }
    }
    return 0;
  }

  public boolean isEmpty() {
    return nodes.length == 0;
  }

  public long timestampMs() {
    return timestampMs;
  }

  public VectorClock withTimestamp(long newTimestampMs) {
    return new VectorClock(nodes, counters, newTimestampMs);
  }

  public int encodedSize() {
    return HEADER_BYTES + nodes.length * (Short.BYTES + counterBytes()) + Long.BYTES;
  }

  public byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(encodedSize());
    writeTo(out);
    return out.array();
  }

  /** Names the version: the encoding with timestamp 0, so equal bytes exactly for equal clocks. */
  public byte[] identityBytes() {
    return withTimestamp(0).encode();
  }

  /** Writes {@link #encodedSize()} bytes. */
  public void writeTo(ByteBuffer out) {
    int counterBytes = counterBytes();
    out.putShort((short) nodes.length);
    out.put((byte) counterBytes);
    for (int i = 0; i < nodes.length; i++) {
      out.putShort(nodes[i]);
      for (int shift = 8 * (counterBytes - 1); shift >= 0; shift -= 8) {
        out.put((byte) (counters[i] >>> shift));
      }
    }
    out.putLong(timestampMs);
  }

  /** How long the clock is that is encoded at {@code at}; of its entries nothing is looked at. */
  public static int encodedSize(ByteBuffer in, int at) {
    int entryBytes = Short.BYTES + in.get(at + Short.BYTES);
    return HEADER_BYTES + in.getShort(at) * entryBytes + Long.BYTES;
  }

  /** Throws {@link IllegalArgumentException} for bytes that {@link #encode} did not make. */
  public static VectorClock decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    VectorClock clock = readFrom(in);
    if (in.hasRemaining()) {
      throw new IllegalArgumentException(
          "a clock must end with its timestamp: extra bytes=" + in.remaining());
    }
    return clock;
  }

  /** Reads one clock and leaves the buffer behind it. Throws as {@link #decode} does. */
  public static VectorClock readFrom(ByteBuffer in) {
    try {
      int count = in.getShort();
      int counterBytes = in.get();
      if (count < 0 || counterBytes < 1 || counterBytes > Long.BYTES) {
        throw new IllegalArgumentException(
            "a clock has >= 0 entries with counters of 1 to 8 bytes: entries="
                + count
                + " counter bytes="
                + counterBytes);
      }
      return readEntries(in, count, counterBytes);
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a clock is cut off: bytes=" + in.limit(), e);
    }
  }

  private static VectorClock readEntries(ByteBuffer in, int count, int counterBytes) {
    if (in.remaining() < count * (Short.BYTES + counterBytes) + Long.BYTES) {
      throw new BufferUnderflowException();
    }
    short[] nodes = new short[count];
    long[] counters = new long[count];
    for (int i = 0; i < count; i++) {
      nodes[i] = nodeId(in.getShort());
      if (i > 0 && nodes[i] <= nodes[i - 1]) {
        throw new IllegalArgumentException(
            "the entries of a clock must ascend by node: " + nodes[i - 1] + " before " + nodes[i]);
      }
      long counter = 0;
      for (int b = 0; b < counterBytes; b++) {
        counter = counter << 8 | (in.get() & 0xFF);
      }
      counters[i] = counter(counter);
    }
    VectorClock clock = new VectorClock(nodes, counters, in.getLong());
    if (clock.counterBytes() != counterBytes) {
      throw new IllegalArgumentException(
          "counters must have their least size, "
              + clock.counterBytes()
              + ": bytes="
              + counterBytes);
    }
    return clock;
  }

  public Pb0.VectorClock toProto() {
    Pb0.VectorClock.Builder proto = Pb0.VectorClock.newBuilder().setTimestamp(timestampMs);
    for (int i = 0; i < nodes.length; i++) {
      proto.addEntries(
          Pb0.ClockEntry.newBuilder().setNodeId(nodes[i]).setVersion(counters[i]).build());
    }
    return proto.build();
  }

  /** Throws {@link IllegalArgumentException} for entries out of range or twice the same node. */
  public static VectorClock fromProto(Pb0.VectorClock proto) {
    TreeMap<Integer, Long> entries = new TreeMap<>();
    for (Pb0.ClockEntry entry : proto.getEntriesList()) {
      if (entries.put(entry.getNodeId(), entry.getVersion()) != null) {
        throw new IllegalArgumentException(
            "a clock has one entry for a node: twice node=" + entry.getNodeId());
      }
    }
    return of(entries, proto.getTimestamp());
  }

  private int counterBytes() {
    long greatest = 1;
    for (long counter : counters) {
      greatest = Math.max(greatest, counter);
    }
    return (Long.SIZE - Long.numberOfLeadingZeros(greatest) + 7) / 8;
  }

  private static short nodeId(int node) {
    if (node < 0 || node > NODE_MAX) {
      throw new IllegalArgumentException("node must be in [0, " + NODE_MAX + "]: node=" + node);
    }
    return (short) node;
  }

  private static long counter(long counter) {
    if (counter < 1) {
      throw new IllegalArgumentException("a counter must be at least 1: counter=" + counter);
    }
    return counter;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof VectorClock other
        && Arrays.equals(nodes, other.nodes)
        && Arrays.equals(counters, other.counters);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(nodes) + Arrays.hashCode(counters);
  }

  /** {@code {0:3, 2:1}@1700000000000}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    for (int i = 0; i < nodes.length; i++) {
      text.append(i == 0 ? "" : ", ").append(nodes[i]).append(':').append(counters[i]);
    }
    return text.append("}@").append(timestampMs).toString();
  }
}
