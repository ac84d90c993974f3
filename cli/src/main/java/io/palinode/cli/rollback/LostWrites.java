package io.palinode.cli.rollback;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.rest.past.DiscardedView;
import io.palinode.voldemort.client.PastStore;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The writes that a rollback discarded, from all nodes, each listed once. */
final class LostWrites {
  private final PastStore past;
  private final Predicate<String> wanted;
  private final Map<Id, Lost> writes = new LinkedHashMap<>();

  /** What makes a write the same at two nodes. */
  private record Id(String key, List<Versioned> added, List<Versioned> removed) {}

  /**
   * A write that is lost; null values: the key was absent.
   *
   * @param hlc when the first of its nodes accepted it
   * @param client empty when it is not known
   */
  record Lost(
      String key,
      long hlc,
      @Nullable String before,
      @Nullable String after,
      String client,
      TreeSet<Integer> nodes) {}

  private LostWrites(PastStore past, Predicate<String> wanted) {
    this.past = past;
    this.wanted = wanted;
  }

  /**
   * In the order of time.
   *
   * @param discarded of the API
   * @param wanted which keys
   */
  public static List<Lost> of(
      PastStore past, DiscardedView discarded, int nodes, Predicate<String> wanted) {
    LostWrites all = new LostWrites(past, wanted);
    LostWrites before = new LostWrites(past, wanted);
    for (int node = 0; node < nodes; node++) {
      for (DiscardedView.SpanView span : discarded.spans()) {
        all.add(node, span.from(), span.to(), discarded.settled());
      }
      for (DiscardedView.PartView part : discarded.except()) {
        before.add(node, part.from(), part.to(), part.settled());
      }
    }
    all.writes.keySet().removeAll(before.writes.keySet());
    List<Lost> sorted = new ArrayList<>(all.writes.values());
    sorted.sort(Comparator.comparingLong(Lost::hlc));
    return sorted;
  }

  /** The times are HLCs. */
  private void add(int node, String from, String to, String settled) {
    @Nullable Long behind = 0L;
    while (behind != null) {
      PastStore.DiscardedPage page =
          past.discardedAt(node, Hlc.parse(from), Hlc.parse(to), Hlc.parse(settled), behind);
      page.writes().forEach(write -> add(node, write));
      behind = page.end();
    }
  }

  private void add(int node, PastStore.Change write) {
    String key = new String(write.key(), StandardCharsets.UTF_8);
    if (!wanted.test(key)) {
      return;
    }
    List<Versioned> added = without(write.after(), write.before());
    List<Versioned> removed = added.isEmpty() ? without(write.before(), write.after()) : List.of();
    Lost one =
        new Lost(
            key,
            write.hlc(),
            value(write.before()),
            value(write.after()),
            write.client(),
            new TreeSet<>(List.of(node)));
    writes.merge(new Id(key, added, removed), one, LostWrites::both);
  }

  private static Lost both(Lost a, Lost b) {
    Lost first = a.hlc() <= b.hlc() ? a : b;
    TreeSet<Integer> nodes = new TreeSet<>(a.nodes());
    nodes.addAll(b.nodes());
    String client = a.client().isEmpty() ? b.client() : a.client();
    return new Lost(first.key(), first.hlc(), first.before(), first.after(), client, nodes);
  }

  private static List<Versioned> without(List<Versioned> some, List<Versioned> others) {
    return some.stream().filter(version -> !others.contains(version)).toList();
  }

  private static @Nullable String value(List<Versioned> versions) {
    Versioned first = Siblings.resolve(versions);
    return first == null ? null : first.text();
  }
}
