package io.palinode.detection.file;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.file.LineFields.Field;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.template.Decimal;
import io.palinode.predicate.text.Abridged;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads a trace, one candidate a line, and refuses what cannot be one: a line that is not of this
 * predicate, a binding or values that the predicate does not have, a clock of another size or with
 * an entry after its own, a node whose own time goes back, an end with an entry before that of its
 * start, a sequence that a node had before. Keeps no line.
 */
public final class TraceReader {
  private static final byte[] NO_PAYLOAD = new byte[0];
  private static final int INDEX_MAX = 20_000;

  private final String source;
  private final @Nullable PredicateFile predicate;
  private final @Nullable Causality causality;
  private final @Nullable LineCheck check;
  private final LineFields fields = new LineFields();
  private final List<NodeLines> lines = new ArrayList<>();
  private int nodes;
  private long last;
  private @Nullable String name;
  private long bytes;

  /** Reads lines of any predicate, clause and term. {@code source} names the trace in errors. */
  public TraceReader(String source) {
    this(source, null, null);
  }

  /** Clocks get at least the floor that {@code causality} gives them. */
  TraceReader(String source, @Nullable PredicateFile predicate, @Nullable Causality causality) {
    this.source = source;
    this.predicate = predicate;
    this.causality = causality;
    this.check = predicate == null ? null : new LineCheck(predicate.predicate());
    this.name = predicate != null && predicate.isNamed() ? predicate.predicate().name() : null;
  }

  /** Who is given the lines, in the order of the trace. */
  public interface Lines {
    /**
     * A line that holds nothing gives no candidate.
     *
     * @param number from 1
     */
    void take(long number, @Nullable TraceLine line) throws IOException;
  }

  /** What the lines of one node showed so far. */
  private static final class NodeLines {
    private final Sequences sequences = new Sequences();
    private @Nullable Hvc start;
    private boolean ascending = true;
  }

  /** Throws {@link BadTraceException} for the first line that is refused. */
  public void read(InputStream in, Lines to) throws IOException {
    ByteLines text = new ByteLines(in);
    long number = 1;
    try {
      for (; text.next(); number++) {
        bytes = text.bytes();
        to.take(number, text.isBlank() ? null : parse(text));
      }
    } catch (IllegalArgumentException e) {
      String reason = text.isUtf8() ? String.valueOf(e.getMessage()) : "a trace must be in UTF-8";
      throw new BadTraceException(source, number, reason);
    }
  }

  /** How many bytes were read so far. */
  long bytes() {
    return bytes;
  }

  /** The last own time of a start or an end. */
  long last() {
    return last;
  }

  /** Entries of each clock; 0 while there is no line. */
  public int nodes() {
    return nodes;
  }

  /**
   * Whether no clock of any node's starts has gone back so far, in whatever order those with one
   * own time are put.
   */
  boolean isAscending() {
    return lines.stream().allMatch(node -> node.ascending);
  }

  private boolean isNamed() {
    return predicate != null && predicate.isNamed();
  }

  private TraceLine parse(ByteLines text) {
    text.readInto(fields);
    requirePredicate(fields.text(Field.PREDICATE));
    int clause = (int) fields.number(Field.CLAUSE, check == null ? INDEX_MAX : check.clauses() - 1);
    int term = (int) fields.number(Field.TERM, check == null ? INDEX_MAX : check.terms(clause) - 1);
    requireSize(fields.nodes());
    int node = (int) fields.number(Field.NODE, nodes - 1);
    CandidateId id = new CandidateId(node, 0, fields.number(Field.SEQ, Long.MAX_VALUE));
    String member = member(clause);
    Candidate candidate =
        new Candidate(
            clause,
            term,
            id,
            interval(node),
            Objects.requireNonNullElse(fields.text(Field.VERSION), ""),
            fields.has(Field.ORIGIN)
                ? Integer.valueOf((int) fields.number(Field.ORIGIN, nodes - 1))
                : null,
            isSum(clause) ? amount() : null,
            null,
            member,
            NO_PAYLOAD);
    requireOrder(id, candidate.interval().start());
    Hvc end = candidate.interval().end();
    last = Math.max(last, (end == null ? candidate.interval().start() : end).own());
    return new TraceLine(
        binding(clause, term, member),
        candidate,
        Objects.requireNonNullElse(fields.text(Field.ENDED_BY), ""),
        fields.values());
  }

  private String member(int clause) {
    String given = fields.text(Field.MEMBER);
    return check == null ? Objects.requireNonNullElse(given, "") : check.member(clause, given);
  }

  /** Without a predicate as it is written; else in its canonical form. */
  private String binding(int clause, int term, String member) {
    String given = fields.text(Field.BINDING);
    if (check == null) {
      return given == null ? "" : given;
    }
    LineCheck.Instance instance = check.instance(given);
    check.requireTrue(clause, term, instance, member, fields.values());
    return instance.text();
  }

  /** The paper's XML names no predicate: then all lines must agree on one, or on none. */
  private void requirePredicate(@Nullable String given) {
    if (given == null && isNamed()) {
      throw new IllegalArgumentException("'predicate' is missing");
    }
    String expected = name == null ? given : name;
    name = expected;
    if (given != null && expected != null && !given.equals(expected)) {
      throw new IllegalArgumentException(
          "'predicate' must be '"
              + Abridged.of(expected)
              + "' as in "
              + (isNamed() ? "the predicate's file" : "the lines before")
              + ": predicate='"
              + Abridged.of(given)
              + "'");
    }
  }

  private void requireSize(int entries) {
    if (nodes == 0) {
      if (entries < 1 || entries > Hvc.NODES_MAX) {
        throw new IllegalArgumentException(
            "'start' must have 1 to " + Hvc.NODES_MAX + " entries: entries=" + entries);
      }
      nodes = entries;
      for (int node = 0; node < nodes; node++) {
        lines.add(new NodeLines());
      }
    }
  }

  private boolean isSum(int clause) {
    return predicate != null && predicate.clauses().get(clause).rule() instanceof ClauseRule.Sum;
  }

  private BigDecimal amount() {
    if (fields.values().size() != 1) {
      throw new IllegalArgumentException(
          "'values' must hold the variable of the sum, and no other: values="
              + Abridged.of(fields.values().toString()));
    }
    String value = fields.values().values().iterator().next();
    Decimal decimal = Decimal.read(value);
    if (decimal == null) {
      throw new IllegalArgumentException(
          "a candidate of a sum needs a decimal in 'values': '" + Abridged.of(value) + "'");
    }
    return decimal.value();
  }

  private Interval interval(int node) {
    Hvc start = clock(Field.START, node);
    Hvc end = fields.has(Field.END) ? clock(Field.END, node) : null;
    if (end != null) {
      requireNotBefore(end, start);
    }
    return new Interval(start, end);
  }

  /** One node in one incarnation has both clocks: no entry of its clock goes back. */
  private static void requireNotBefore(Hvc end, Hvc start) {
    for (int node = 0; node < start.nodes(); node++) {
      if (end.get(node) < start.get(node)) {
        throw new IllegalArgumentException(
            "'end' must have no entry before that of 'start': start[%1$d]=%2$s end[%1$d]=%3$s"
                .formatted(node, Hlc.format(start.get(node)), Hlc.format(end.get(node))));
      }
    }
  }

  private Hvc clock(Field field, int node) {
    Hvc clock = fields.hvc(field, node, nodes);
    requireOwnLatest(field, clock);
    return causality == null ? clock : causality.floored(clock);
  }

  /** A node's clock passes each time that the node receives. */
  private static void requireOwnLatest(Field field, Hvc clock) {
    for (int node = 0; node < clock.nodes(); node++) {
      if (clock.get(node) > clock.own()) {
        throw new IllegalArgumentException(
            "'%1$s' must have no entry after that of its node: %1$s[%2$d]=%3$s %1$s[%4$d]=%5$s"
                .formatted(
                    field.word,
                    node,
                    Hlc.format(clock.get(node)),
                    clock.owner(),
                    Hlc.format(clock.own())));
      }
    }
  }

  private void requireOrder(CandidateId id, Hvc start) {
    NodeLines ofNode = lines.get(id.node());
    Hvc last = ofNode.start;
    if (last != null && start.own() < last.own()) {
      throw new IllegalArgumentException(
          "the lines of node "
              + id.node()
              + " must be in its order: start["
              + id.node()
              + "]="
              + Hlc.format(start.own())
              + " after "
              + Hlc.format(last.own()));
    }
    ofNode.ascending &=
        last == null || last.equals(start) || (last.own() < start.own() && last.isBefore(start));
    ofNode.start = start;
    if (!ofNode.sequences.add(id.sequence())) {
      throw new IllegalArgumentException(
          "'seq' must be unique at its node: node=" + id.node() + " seq=" + id.sequence());
    }
  }
}
