package io.palinode.cli.rollback;

import io.palinode.cli.options.TimeText;
import io.palinode.orchestrator.rest.EffectView;
import io.palinode.terminal.TextTable;
import io.palinode.terminal.Wrap;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** What a rollback would do, in words. */
final class EffectText {
  private static final int CLIENTS_SHOWN_MAX = 10;

  private EffectText() {}

  /** Lines with a newline each; {@code first} says what would be done. */
  static String of(String first, EffectView effect) {
    StringBuilder text = new StringBuilder();
    String snapshot = effect.snapshot() == null ? "" : "snapshot " + effect.snapshot() + ", of ";
    text.append("%s %s%s%n".formatted(first, snapshot, TimeText.withAge(effect.target())));
    text.append(line("scope", scope(effect)));
    EffectView.Size size = effect.size();
    text.append(
        size == null
            ? line("writes discarded", "all since then; how many is not known: " + effect.unknown())
            : amounts(effect, size));
    text.append(line("expected pause", pause(effect)));
    if (effect.beforeSafePoint()) {
      text.append(
          line(
              "safe point",
              "%s is later: programs may have published results of writes that this discards"
                  .formatted(TimeText.of(effect.safePoint()))));
    }
    return text.append('\n').append(nodes(effect)).toString();
  }

  private static String amounts(EffectView effect, EffectView.Size size) {
    EffectView.Size before = effect.before();
    return line(
            "writes discarded",
            number(size.writes()) + was(size.writes(), before, EffectView.Size::writes))
        + line(
            "keys that change",
            number(size.keys()) + was(size.keys(), before, EffectView.Size::keys))
        + line(
            "bytes",
            "%s of replaced keys and values, on all nodes".formatted(number(size.bytes()))
                + was(size.bytes(), before, EffectView.Size::bytes))
        + line(
            "clients",
            clients(effect, size.clientsTotal())
                + was(size.clientsTotal(), before, EffectView.Size::clientsTotal));
  }

  private static String pause(EffectView effect) {
    Double ms = effect.expectedPauseMs();
    return ms == null
        ? "not known: each node reads its store and its part of the snapshot whole"
        : String.format(Locale.ROOT, "%,.0f ms", ms);
  }

  private static String scope(EffectView effect) {
    if (effect.scope().equals("affected")) {
      return "affected: the closure of writes: %s; all other writes stand, and other clients are not notified"
          .formatted(number(effect.firstWrites()));
    }
    return effect.whyAll() == null
        ? "all writes since then"
        : "all, not affected: " + effect.whyAll();
  }

  /** The value at the time of planning, if it differs. */
  private static String was(
      long now, EffectView.@Nullable Size before, ToLongFunction<EffectView.Size> value) {
    return before == null || value.applyAsLong(before) == now
        ? ""
        : " (%s when it was planned)".formatted(number(value.applyAsLong(before)));
  }

  private static String clients(EffectView effect, int total) {
    List<String> names = effect.clients();
    String shown = String.join(", ", names.subList(0, Math.min(CLIENTS_SHOWN_MAX, names.size())));
    String all = total == 0 ? "none with a name" : total + ": " + shown;
    String more = names.size() < total || names.size() > CLIENTS_SHOWN_MAX ? ", ..." : "";
    return effect.clientsKnownSince() == null
        ? all + more
        : all + more + " (known since " + TimeText.of(effect.clientsKnownSince()) + ")";
  }

  private static String nodes(EffectView effect) {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT, List.of("NODE", "REACH FROM", "TO", "WRITES", "KEYS", "BYTES"));
    for (EffectView.NodeView node : effect.nodes()) {
      boolean isKnown = effect.unknown() == null;
      table.row(
          List.of(
              Integer.toString(node.node()),
              TimeText.of(node.reach()),
              TimeText.of(node.now()),
              isKnown ? number(node.writes()) : "-",
              isKnown ? number(node.keys()) : "-",
              isKnown ? number(node.bytes()) : "-"));
    }
    return table.render();
  }

  private static String line(String name, String value) {
    return Wrap.paragraph("%-18s".formatted(name), value) + "\n";
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
