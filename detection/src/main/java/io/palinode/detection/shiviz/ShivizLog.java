package io.palinode.detection.shiviz;

import io.palinode.detection.file.TraceLine;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Role;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A log as ShiViz reads it: first the expression that parses it, then an empty line (there is one
 * execution), then two lines an event.
 *
 * <pre>
 * writes cs_1_2_1 = 1
 * ann - {"ann":1}
 * term 0 holds: cs_1_2_1 = 1
 * node1 1000.3 {"node0":2, "node1":1, "ann":1}
 * </pre>
 */
public final class ShivizLog {
  /** How a log is parsed; {@code hlc} is shown beside the event. */
  static final String EXPRESSION = "(?<event>.*)\\n(?<host>\\S+) (?<hlc>\\S+) (?<clock>\\{.*\\})";

  /** More than anyone looks at, and than a browser draws. */
  public static final int EVENTS_MAX = 100_000;

  private static final Pattern NOT_OF_A_HOST = Pattern.compile("[^\\w.:-]+");
  private static final HexFormat PERCENT = HexFormat.of().withPrefix("%").withUpperCase();
  private static final Set<Role> READ = Set.of(Role.READ, Role.WRITTEN);

  private final int nodes;
  private final List<EventClocks.Event> events = new ArrayList<>();

  private ShivizLog(int nodes) {
    this.nodes = nodes;
  }

  /** The intervals of one violation, and the requests of clients that began them. */
  public static ShivizLog of(PortableWitness witness) {
    return of(witness, List.of());
  }

  /**
   * The same, with other intervals near it.
   *
   * @param around all clocks have the size of the witness's
   */
  public static ShivizLog of(PortableWitness witness, List<HeldInterval> around) {
    ShivizLog log = new ShivizLog(witness.intervals().get(0).start().nodes());
    witness.intervals().forEach(interval -> log.add("term ", interval));
    around.forEach(interval -> log.add("nearby: term ", interval));
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
      log.add(name + binding, values, null, interval.start(), interval.end());
    }
    return log;
  }

  private static String of(String member) {
    return member.isEmpty() ? "" : " of " + member;
  }

  private void add(String term, HeldInterval interval) {
    String name = term + interval.term() + of(interval.member());
    add(name, values(interval.values()), request(interval), interval.start(), interval.end());
  }

  /** The request that made the term true; null: its client is not known. */
  private static EventClocks.@Nullable Request request(HeldInterval interval) {
    if (interval.writer().isEmpty() || interval.values().isEmpty()) {
      return null;
    }
    String client = host(interval.writer());
    String key = interval.values().get(0).key();
    if (interval.values().stream().anyMatch(value -> READ.contains(value.role()))) {
      return new EventClocks.Request(client, "reads " + key, "");
    }
    List<HeldValue> holding =
        interval.values().stream().filter(value -> value.role() == Role.HOLDS).toList();
    if (holding.size() != 1) {
      // Of siblings, no record names the one that this client wrote.
      return new EventClocks.Request(client, "writes " + key, "");
    }
    HeldValue written = holding.get(0);
    String identity =
        written.version().isEmpty()
            ? ""
            : String.join("\n", client, written.store(), written.key(), written.version());
    return new EventClocks.Request(client, "writes " + values(holding), identity);
  }

  /** One word, which is no node's. Two clients never share one. */
  private static String host(String client) {
    String word = NOT_OF_A_HOST.matcher(client).replaceAll(found -> percent(found.group()));
    return word.matches("node\\d+") ? percent("n") + word.substring(1) : word;
  }

  private static String percent(String text) {
    return PERCENT.formatHex(text.getBytes(StandardCharsets.UTF_8));
  }

  private void add(
      String name,
      String values,
      EventClocks.@Nullable Request request,
      Hvc start,
      @Nullable Hvc end) {
    String holds = end == null ? " holds, open to the end" : " holds";
    String text = name + holds + (values.isEmpty() ? "" : ": " + values);
    events.add(new EventClocks.Event(start, text, request));
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
    ClientClocks clients = new ClientClocks(nodes);
    for (EventClocks.Counted counted : EventClocks.count(nodes, events)) {
      ClientClocks.Known known = clients.next(counted);
      EventClocks.Request request = counted.event().request();
      if (known.sent() != null && request != null) {
        String client = known.sent().client();
        write(out, request.text(), client, "-", Map.of(client, known.sent().number()));
      }
      Map<String, Integer> clock = new LinkedHashMap<>();
      for (int node = 0; node < nodes; node++) {
        clock.put("node" + node, counted.clock()[node]);
      }
      clock.putAll(known.clients());
      String own = Hlc.format(counted.event().clock().own());
      write(out, counted.event().text(), "node" + counted.node(), own, clock);
    }
  }

  /** Hosts of which nothing is known are left out. */
  private static void write(
      Appendable out, String event, String host, String hlc, Map<String, Integer> clock)
      throws IOException {
    String entries =
        clock.entrySet().stream()
            .filter(entry -> entry.getValue() > 0)
            .map(entry -> "\"" + entry.getKey() + "\":" + entry.getValue())
            .collect(Collectors.joining(", ", "{", "}"));
    out.append(oneLine(event)).append('\n');
    out.append(host).append(' ').append(hlc).append(' ').append(entries).append('\n');
  }

  /** Values may hold anything; an event is one line. */
  private static String oneLine(String text) {
    return text.replaceAll("[\\p{Cntrl}\\u2028\\u2029]", "\u00b7");
  }
}
