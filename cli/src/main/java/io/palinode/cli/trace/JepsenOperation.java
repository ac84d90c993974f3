package io.palinode.cli.trace;

import io.palinode.predicate.text.Abridged;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import us.bpsm.edn.Keyword;
import us.bpsm.edn.printer.Printers;

/**
 * What an operation of Jepsen's usual workloads writes and reads, by its {@code :f}:
 *
 * <ul>
 *   <li>{@code :write 3}, {@code :cas [1 3]}: key {@code register} has the value 3
 *   <li>{@code :read 3}: the read found 3 at {@code register}
 *   <li>{@code :write [k 3]}, {@code :cas [k [1 3]]}, {@code :read [k 3]}: key {@code register/k}
 *   <li>{@code :read [k 3]} only if its invocation has {@code [k nil]}: else it found a list
 *   <li>{@code :read {k 3, l 4}}: the read found 3 at {@code k} and 4 at {@code l}
 *   <li>{@code :txn [[:w k 3] [:r l 4]]}: writes {@code k}, and found 4 at {@code l}
 *   <li>{@code :acquire}, {@code :release} by process 7: {@code lock/7} is {@code held}, or deleted
 *   <li>{@code :acquire k}, {@code :release k}: the same with {@code lock/k/7}
 * </ul>
 */
final class JepsenOperation {
  private static final String WAY_OUT =
      "write the history as JSON lines, with a key for each element of a list";

  private static final Optional<String> HELD = Optional.of("held");
  private static final Optional<String> FREE = Optional.empty();

  private final Map<String, Optional<String>> writes = new LinkedHashMap<>();
  private final Map<String, String> reads = new LinkedHashMap<>();

  /**
   * Returns null, or which operations are passed over, for one of them. Throws {@link
   * IllegalArgumentException} for another value than these, except of a read, and for one that
   * changes a list: passed over, their writes would be missing.
   *
   * @param invoked the value at its invocation
   * @param value the value at its completion, if it is known
   */
  @Nullable String take(
      String function, long process, @Nullable Object invoked, @Nullable Object value) {
    switch (function) {
      case "write" ->
          require(write(value), ":write must have VALUE or [KEY VALUE] with single values", value);
      case "cas" ->
          require(
              swap(value), ":cas must have [OLD NEW] or [KEY [OLD NEW]] with single values", value);
      case "acquire" ->
          require(lock(value, process, HELD), ":acquire must have one single value or nil", value);
      case "release" ->
          require(lock(value, process, FREE), ":release must have one single value or nil", value);
      case "txn" -> transaction(value);
      case "append" -> throw new IllegalArgumentException(appends(value));
      case "read" -> {
        return read(invoked, value) ? null : "of :read that found a collection";
      }
      default -> {
        return "of :" + Abridged.of(function);
      }
    }
    return null;
  }

  private static void require(boolean isTaken, String rule, @Nullable Object value) {
    if (!isTaken) {
      throw new IllegalArgumentException(
          rule + ": " + printed(value) + "; write the history as JSON lines");
    }
  }

  Map<String, Optional<String>> writes() {
    return writes;
  }

  Map<String, String> reads() {
    return reads;
  }

  private boolean write(@Nullable Object value) {
    return written(register(value), isPair(value) ? second(value) : value);
  }

  /** Of one register {@code [old new]}, of several {@code [key [old new]]}. */
  private boolean swap(@Nullable Object value) {
    if (!isPair(value)) {
      return false;
    }
    Object second = second(value);
    return isPair(second) ? written(register(value), second(second)) : written("register", second);
  }

  /** Without a key at the invocation, a list is what the read found, and no register with a key. */
  private boolean read(@Nullable Object invoked, @Nullable Object value) {
    if (value instanceof Map<?, ?> all) {
      return all.entrySet().stream().allMatch(each -> found(text(each.getKey()), each.getValue()));
    }
    return isPair(invoked)
        ? isPair(value) && found(register(value), second(value))
        : found("register", value);
  }

  /** Null if its key is no single value. */
  private static @Nullable String register(@Nullable Object value) {
    if (!isPair(value)) {
      return "register";
    }
    String key = text(first(value));
    return key == null ? null : "register/" + key;
  }

  private boolean lock(@Nullable Object name, long process, Optional<String> state) {
    String of = name == null ? "" : text(name);
    if (of == null) {
      return false;
    }
    writes.put(of.isEmpty() ? "lock/" + process : "lock/" + of + "/" + process, state);
    return true;
  }

  private void transaction(@Nullable Object value) {
    if (!(value instanceof List<?> steps)) {
      throw new IllegalArgumentException(
          ":txn must have a vector of steps, such as [[:w k 3] [:r l 4]]: " + printed(value));
    }
    for (Object step : steps) {
      if (!step(step)) {
        throw new IllegalArgumentException(
            isAppend(step)
                ? appends(step)
                : "a step of :txn must be [:w KEY VALUE] or [:r KEY VALUE] with single values: "
                    + printed(step)
                    + "; "
                    + WAY_OUT);
      }
    }
  }

  private static boolean isAppend(@Nullable Object step) {
    return first(step) instanceof Keyword kind && kind.getName().equals("append");
  }

  private static String appends(@Nullable Object value) {
    return "an operation must not append to a list, because a key has one value: "
        + printed(value)
        + "; "
        + WAY_OUT;
  }

  /** The start of the value as EDN. */
  static String printed(@Nullable Object value) {
    return Abridged.of(Printers.printString(Printers.defaultPrinterProtocol(), value));
  }

  /** One step of a transaction, such as {@code [:w k 3]}. */
  private boolean step(@Nullable Object step) {
    if (!(step instanceof List<?> parts)
        || parts.size() != 3
        || !(parts.get(0) instanceof Keyword kind)) {
      return false;
    }
    String key = text(parts.get(1));
    return switch (kind.getName()) {
      case "w" -> written(key, parts.get(2));
      case "r" -> found(key, parts.get(2));
      default -> false;
    };
  }

  /** No value deletes the key. */
  private boolean written(@Nullable String key, @Nullable Object value) {
    String text = text(value);
    if (key == null || (value != null && text == null)) {
      return false;
    }
    writes.put(key, Optional.ofNullable(text));
    return true;
  }

  /** No value: the key was missing, or the read has not ended. */
  private boolean found(@Nullable String key, @Nullable Object value) {
    String text = text(value);
    if (key == null || (value != null && text == null)) {
      return false;
    }
    if (text != null) {
      reads.put(key, text);
    }
    return true;
  }

  private static boolean isPair(@Nullable Object value) {
    return value instanceof List<?> list && list.size() == 2;
  }

  private static @Nullable Object first(@Nullable Object pair) {
    return pair instanceof List<?> list && !list.isEmpty() ? list.get(0) : null;
  }

  private static @Nullable Object second(@Nullable Object pair) {
    return pair instanceof List<?> list && list.size() > 1 ? list.get(1) : null;
  }

  /** Null for what is no single value. */
  private static @Nullable String text(@Nullable Object value) {
    if (value instanceof Keyword keyword) {
      return keyword.getName();
    }
    boolean single =
        value instanceof String
            || value instanceof Boolean
            || value instanceof Long
            || value instanceof Double
            || value instanceof BigInteger
            || value instanceof BigDecimal;
    return single ? String.valueOf(value) : null;
  }
}
