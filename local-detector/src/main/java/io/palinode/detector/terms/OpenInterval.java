package io.palinode.detector.terms;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import org.jspecify.annotations.Nullable;

/**
 * The time, not ended yet, in which one version of a key makes a term true under a binding. Equal
 * by partition and sequence.
 *
 * @param holding of a long value the beginning only: there may be a million of these
 * @param instance names the predicate instance and its partition: {@code <predicate>|<binding>}
 * @param sequence of the event that opened it, in its partition
 * @param start the HVC right after the write that opened it
 */
public record OpenInterval(
    StoreKey key,
    Holding holding,
    String instance,
    int partition,
    long sequence,
    Hvc start,
    Source source) {

  /**
   * How the version came to this node.
   *
   * @param writer empty when unknown
   * @param origin the node that accepted it first; null when unknown
   * @param isFound whether the node found it in its store, or it is a late copy; false: it saw the
   *     write
   */
  public record Source(String writer, @Nullable Integer origin, boolean isFound) {
    /** Of what was found, not written. */
    public static final Source UNKNOWN = new Source("", null, true);

    /** Of a write. */
    public Source(String writer, @Nullable Integer origin) {
      this(writer, origin, false);
    }
  }

  /** {@code <predicate>|<binding>}. */
  public static String instanceOf(Holding holding) {
    return CandidateRecords.instanceKey(holding.term().predicate(), holding.instance().toString());
  }

  /** The same interval, to be published late. */
  public OpenInterval withSequence(long newSequence) {
    return new OpenInterval(key, holding, instance, partition, newSequence, start, source);
  }

  public String binding() {
    return instance.substring(holding.term().predicate().length() + 1);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof OpenInterval other
        && partition == other.partition
        && sequence == other.sequence;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(sequence) + partition;
  }

  /** Whether it is the interval of {@code other}: the same term, binding and version. */
  boolean isOf(Holding other) {
    return isOfVersion(other.version()) && holding.isSameTermAs(other);
  }

  boolean isOfVersion(Version version) {
    return holding.version().isSameWriteAs(version);
  }

  boolean isAmong(Iterable<Holding> holdings) {
    for (Holding held : holdings) {
      if (isOf(held)) {
        return true;
      }
    }
    return false;
  }
}
