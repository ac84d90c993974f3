package io.palinode.cli.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.palinode.cli.trace.Recording.Interval;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.Holding;
import io.palinode.detector.terms.TermIndex;
import io.palinode.detector.terms.Truth;
import io.palinode.detector.terms.WatchedTerm;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.Predicate;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.VariableVersion;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The intervals of a predicate's terms in a history. */
final class HistoryTrace {
  private static final byte[] NO_CLOCK = {};

  private final TermIndex terms;
  private final Truth truth = new Truth();
  private final String store;
  private final int nodes;
  private final Epsilon epsilon;

  /**
   * @param store the store of all keys
   * @param nodes the number of clocks
   */
  HistoryTrace(Predicate predicate, String store, int nodes, Epsilon epsilon) {
    this.terms = TermIndex.of(List.of(new ActivePredicate(predicate.name(), 1, predicate)));
    this.store = store;
    this.nodes = nodes;
    this.epsilon = epsilon;
  }

  Stream<Interval> of(Standing.Value standing) {
    Version version = new Version(standing.value().getBytes(UTF_8), NO_CLOCK);
    StoreKey key = new StoreKey(store, standing.key().getBytes(UTF_8));
    return truth.of(terms.match(key), List.of(version)).stream()
        .map(holding -> interval(holding, standing));
  }

  private Interval interval(Holding holding, Standing.Value standing) {
    boolean open = standing.end() == Operation.UNKNOWN;
    VariableVersion value =
        VariableVersion.newBuilder()
            .setKey(ByteString.copyFromUtf8(standing.key()))
            .setValue(ByteString.copyFromUtf8(standing.value()))
            .build();
    return new Interval(
        ref(holding),
        standing.node(),
        clock(standing.node(), standing.start()),
        open ? null : clock(standing.node(), standing.end()),
        List.of(value),
        null,
        null,
        null,
        0);
  }

  private static IntervalRef ref(Holding holding) {
    WatchedTerm term = holding.term();
    IntervalRef.Builder ref =
        IntervalRef.newBuilder()
            .setPredicate(term.predicate())
            .setPredicateVersion(term.version())
            .setClause(term.clause())
            .setTerm(term.index())
            .setBinding(holding.instance().toString());
    @Nullable String member = member(holding);
    return (member == null ? ref : ref.setMember(member)).build();
  }

  private static @Nullable String member(Holding holding) {
    String member = holding.term().member(holding.binding()).toString();
    return member.isEmpty() ? null : member;
  }

  /** A history has no messages, so other clocks are known by ε alone. */
  private Hvc clock(int node, long hlc) {
    long[] entries = new long[nodes];
    Arrays.fill(
        entries, epsilon.isInfinite() ? 0 : Math.max(0, hlc - Hlc.ofMicros(epsilon.micros())));
    entries[node] = hlc;
    return Hvc.of(node, entries);
  }
}
