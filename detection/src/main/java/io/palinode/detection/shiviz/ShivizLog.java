package io.palinode.detection.shiviz;

import io.palinode.detection.file.TraceLine;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A log as ShiViz reads it: first the expression that parses it, then an empty line (there is one
 * execution), then two lines an event.
 *
 * <pre>
 * term 0 holds: cs_1_2_1 = 1
 * node1 1000.3 {"node0":2, "node1":1}
 * </pre>
 */
public final class ShivizLog {
  /** How a log is parsed; {@code hlc} is shown beside the event. */
  static final String EXPRESSION = "(?<event>.*)\\n(?<host>\\S+) (?<hlc>\\S+) (?<clock>\\{.*\\})";

  /** More than anyone looks at, and than a browser draws. */
  public static final int EVENTS_MAX = 100_000;

  private final int nodes;
  private final List<EventClocks.Event> events = new ArrayList<>();

  private ShivizLog(int nodes) {
    this.nodes = nodes;
  }

  /** The intervals of one violation. */
  public static ShivizLog of(PortableWitness witness) {
    ShivizLog log = new ShivizLog(witness.intervals().get(0).start().nodes());
    for (HeldInterval interval : witness.intervals()) {
      String name = "term " + interval.term() + of(interval.member());
      log.add(name, values(interval.values()), interval.start(), interval.end());
    }
    return log;
  }

  /** The intervals of a trace, at least one; all clocks have one size. */
  public static ShivizLog of(List<TraceLine> trace) {
    ShivizLog log = new ShivizLog(trace.get(0).candidate().interval().start().nodes());
    for (TraceLine line : trace) {
      Interval interval = line.candidate().interval();
      String name =
          "clause "
              + line.candidate().clause()
              + " term "
              + line.candidate().term()
              + of(line.candidate().member());
      String binding = line.binding().isEmpty() ? "" : " with " + line.binding();
      String values =
          line.values().entrySet().stream()
              .map(value -> value.getKey() + " = " + value.getValue())
              .collect(Collectors.joining(", "));
      log.add(name + binding, values, interval.start(), interval.end());
    }
    return log;
  }

  private static String of(String member) {
    return member.isEmpty() ? "" : " of " + member;
  }

  private void add(String name, String values, Hvc start, @Nullable Hvc end) {
    String holds = end == null ? " holds, open to the end" : " holds";
    events.add(
        new EventClocks.Event(start, name + holds + (values.isEmpty() ? "" : ": " + values)));
    if (end != null) {
      events.add(new EventClocks.Event(end, name + " holds no longer"));
    }
  }

  private static String values(List<HeldValue> values) {
    return values.stream()
        .map(value -> value.key() + " = " + value.value())
        .distinct()
        .collect(Collectors.joining(", "));
  }

  public void write(Appendable out) throws IOException {
    out.append(EXPRESSION).append("\n\n");
    for (EventClocks.Counted counted : EventClocks.count(nodes, events)) {
      out.append(oneLine(counted.event().text())).append('\n');
      out.append("node").append(Integer.toString(counted.node())).append(' ');
      out.append(Hlc.format(counted.event().clock().own())).append(' ');
      out.append(clock(counted.clock())).append('\n');
    }
  }

  /** Nodes of which nothing is known are left out. */
  private static String clock(int[] counts) {
    List<String> entries = new ArrayList<>();
    for (int node = 0; node < counts.length; node++) {
      if (counts[node] > 0) {
        entries.add("\"node" + node + "\":" + counts[node]);
      }
    }
    return "{" + String.join(", ", entries) + "}";
  }

  /** Values may hold anything; an event is one line. */
  private static String oneLine(String text) {
    return text.replaceAll("[\\p{Cntrl}\\u2028\\u2029]", "\u00b7");
  }
}
