package io.palinode.cli.trace;

import io.palinode.hvc.Hlc;
import io.palinode.predicate.text.Abridged;
import io.palinode.terminal.Refusal;
import java.io.Reader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import us.bpsm.edn.EdnException;
import us.bpsm.edn.Keyword;
import us.bpsm.edn.TaggedValue;
import us.bpsm.edn.parser.Parser;
import us.bpsm.edn.parser.Parsers;

/**
 * Reads a history of Jepsen, as EDN: operations one after another, or one vector of them. Each
 * operation is a map at its invocation, and another one at its completion. All times are of the
 * control node, in nanoseconds.
 */
final class JepsenHistory {
  private static final Keyword TYPE = Keyword.newKeyword("type");
  private static final Keyword PROCESS = Keyword.newKeyword("process");
  private static final Keyword TIME = Keyword.newKeyword("time");
  private static final Keyword FUNCTION = Keyword.newKeyword("f");
  private static final Keyword VALUE = Keyword.newKeyword("value");

  private final String source;
  private final Map<Long, Event> open = new HashMap<>();
  private Place place = new Place(0, 0);

  /**
   * Where an operation is.
   *
   * @param line from 1; 0 if unknown
   */
  private record Place(long line, long number) {
    @Override
    public String toString() {
      return (line > 0 ? "line " + line + ", " : "") + "operation " + number;
    }
  }

  /** An invocation or a completion. */
  private record Event(
      Place place, String type, long process, long hlc, String function, @Nullable Object value) {}

  /** {@code source} names the file in errors. */
  JepsenHistory(String source) {
    this.source = source;
  }

  /** Refuses the first operation that cannot be read, with its line and its number, from 1. */
  void read(Reader in, History to) {
    EdnText text = new EdnText(in);
    Parser parser =
        Parsers.newParser(
            Parsers.newParserConfigBuilder().setMapFactory(new EdnMaps(text)).build());
    try {
      for (Object next = parser.nextValue(text);
          next != Parser.END_OF_INPUT;
          next = parser.nextValue(text)) {
        if (next instanceof List<?> all) {
          all.forEach(each -> read(each, to));
        } else {
          read(next, to);
        }
      }
    } catch (EdnException | IllegalArgumentException e) {
      throw notRead(text, String.valueOf(e.getMessage()), e);
    } catch (StackOverflowError e) {
      throw notRead(text, "collections are nested too deeply", e);
    }
    open.values().forEach(invoked -> ended(invoked, null, to));
  }

  private Refusal notRead(EdnText text, String reason, Throwable cause) {
    return new Refusal(
        "%s, line %d, after operation %d: not EDN: %s"
            .formatted(source, text.line(), place.number(), reason),
        cause);
  }

  private void read(@Nullable Object edn, History to) {
    Object value = untagged(edn);
    Object line = value instanceof Map<?, ?> map ? map.get(EdnMaps.LINE) : null;
    place = new Place(line instanceof Long known ? known : 0, place.number() + 1);
    if (!(value instanceof Map<?, ?> map) || !(map.get(TYPE) instanceof Keyword type)) {
      throw refused("an operation must be a map with :type, such as {:type :invoke, ...}");
    }
    if (!(map.get(PROCESS) instanceof Long process)) {
      to.passOver("of a process without a number");
      return;
    }
    if (!(map.get(TIME) instanceof Long nanos) || nanos < 0) {
      throw refused(
          ":time must be nanoseconds, at least 0: " + JepsenOperation.printed(map.get(TIME)));
    }
    String function = map.get(FUNCTION) instanceof Keyword f ? f.getName() : "";
    Object of = untagged(map.get(VALUE));
    read(new Event(place, type.getName(), process, hlc(nanos), function, of), to);
  }

  private void read(Event event, History to) {
    switch (event.type()) {
      case "invoke" -> {
        Event before = open.put(event.process(), event);
        if (before != null) {
          throw refused(
              "process %d invokes an operation before its operation %d has completed"
                  .formatted(event.process(), before.place().number()));
        }
      }
      case "ok", "info" -> ended(invocation(event), event, to);
      case "fail" -> {
        invocation(event);
        to.passOver("failed");
      }
      default -> throw refused(":type must be :invoke, :ok, :fail or :info: :" + event.type());
    }
  }

  private Event invocation(Event completion) {
    Event invoked = open.remove(completion.process());
    if (invoked == null) {
      throw refused(
          "process %d completes an operation that it did not invoke"
              .formatted(completion.process()));
    }
    if (completion.hlc() < invoked.hlc()) {
      throw refused(
          ":time is before that of its invocation, operation " + invoked.place().number());
    }
    return invoked;
  }

  /**
   * @param completion null: the history ends before it
   */
  private void ended(Event invoked, @Nullable Event completion, History to) {
    boolean ok = completion != null && completion.type().equals("ok");
    Event known = ok && completion != null ? completion : invoked;
    JepsenOperation meaning = new JepsenOperation();
    @Nullable String passedOver;
    try {
      passedOver =
          meaning.take(invoked.function(), invoked.process(), invoked.value(), known.value());
    } catch (IllegalArgumentException e) {
      throw refused(known.place(), String.valueOf(e.getMessage()));
    }
    if (passedOver != null) {
      to.passOver(passedOver);
      return;
    }
    to.add(
        new Operation(
            invoked.place().number(),
            0,
            invoked.hlc(),
            ok ? known.hlc() : Operation.UNKNOWN,
            meaning.writes(),
            meaning.reads()));
  }

  /** A microsecond has 4,096 HLCs, so two times of different nanoseconds differ. */
  private static long hlc(long nanos) {
    return Hlc.of(nanos / 1_000, (int) (nanos % 1_000 * (Hlc.COUNTER_MAX + 1) / 1_000));
  }

  private static @Nullable Object untagged(@Nullable Object value) {
    return value instanceof TaggedValue tagged ? tagged.getValue() : value;
  }

  private Refusal refused(String reason) {
    return refused(place, reason);
  }

  private Refusal refused(Place at, String reason) {
    return new Refusal(
        "%s, %s: %s"
            .formatted(source, at, Abridged.atMost(JsonHistory.REASON_CHARACTERS_MAX, reason)));
  }
}
