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
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Decimal;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.VariableVersion;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The intervals of a predicate's terms in a history. */
final class HistoryTrace {
  private static final byte[] NO_CLOCK = {};

  private final Predicate predicate;
  private final TermIndex terms;
  private final Truth truth = new Truth();
  private final String store;
  private final int nodes;
  private final Epsilon epsilon;

  /**
   * That a term is true.
   *
   * @param amount of a variable of a sum, in its shortest form; else null
   */
  record Fact(WatchedTerm term, Binding binding, @Nullable BigDecimal amount) {}

  /**
   * @param store the store of all keys
   * @param nodes the number of clocks
   */
  HistoryTrace(Predicate predicate, String store, int nodes, Epsilon epsilon) {
    this.predicate = predicate;
    this.terms = TermIndex.of(List.of(new ActivePredicate(predicate.name(), 1, predicate)));
    this.store = store;
    this.nodes = nodes;
    this.epsilon = epsilon;
  }

  /** The terms that a value makes true. */
  List<Fact> facts(String key, String value) {
    Version version = new Version(value.getBytes(UTF_8), NO_CLOCK);
    StoreKey of = new StoreKey(store, key.getBytes(UTF_8));
    return truth.of(terms.match(of), List.of(version)).stream()
        .map(holding -> fact(holding, value))
        .distinct()
        .toList();
  }

  private static Fact fact(Holding holding, String value) {
    Decimal amount = holding.term().isAmount() ? Decimal.read(value) : null;
    return new Fact(
        holding.term(),
        holding.binding(),
        amount == null ? null : amount.value().stripTrailingZeros());
  }

  /**
   * An interval for each of {@code values}. With {@code for}, what is open holds until the last
   * time of a trace. So one such interval has a second line at {@code last}, which its run joins.
   *
   * @param values by their starts
   * @param last the last HLC of the history
   */
  Stream<Interval> of(List<Standing.Value<Fact>> values, long last) {
    Stream<Interval> untilLast =
        values.stream()
            .filter(value -> value.isOpen() && value.start() < last && lasts(value.fact()))
            .limit(1)
            .map(value -> interval(value.from(last)));
    return Stream.concat(values.stream().map(this::interval), untilLast);
  }

  private boolean lasts(Fact fact) {
    return predicate.violation().get(fact.term().clause()).shape().lasts();
  }

  private Interval interval(Standing.Value<Fact> standing) {
    VariableVersion value =
        VariableVersion.newBuilder()
            .setKey(ByteString.copyFromUtf8(standing.key()))
            .setValue(ByteString.copyFromUtf8(standing.value()))
            .build();
    return new Interval(
        ref(standing.fact()),
        standing.node(),
        clock(standing.node(), standing.start()),
        standing.isOpen() ? null : clock(standing.node(), standing.end()),
        List.of(value),
        null,
        null,
        null,
        0);
  }

  private static IntervalRef ref(Fact fact) {
    WatchedTerm term = fact.term();
    IntervalRef.Builder ref =
        IntervalRef.newBuilder()
            .setPredicate(term.predicate())
            .setPredicateVersion(term.version())
            .setClause(term.clause())
            .setTerm(term.index())
            .setBinding(term.instance(fact.binding()).toString());
    String member = term.member(fact.binding()).toString();
    return (member.isEmpty() ? ref : ref.setMember(member)).build();
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
