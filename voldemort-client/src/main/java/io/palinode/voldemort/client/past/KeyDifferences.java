package io.palinode.voldemort.client.past;

import io.palinode.voldemort.client.PastStore;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The differences of several nodes as one list in key order. Reads each node a page at a time;
 * lists a key that differs on several nodes once.
 */
public final class KeyDifferences {
  private final List<AtNode> nodes = new ArrayList<>();

  public KeyDifferences(
      Store store, PastStore.Point before, PastStore.Point after, Collection<Integer> nodes) {
    nodes.forEach(node -> this.nodes.add(new AtNode(store.past(), node, before, after)));
  }

  /**
   * A key that differs, with the value to take first of each side; null: absent.
   *
   * @param nodes where it differs
   */
  public record Merged(
      String key, @Nullable String before, @Nullable String after, List<Integer> nodes) {
    public Merged {
      nodes = List.copyOf(nodes);
    }

    public String nodesText() {
      return nodes.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
  }

  /** Null behind the last. */
  public @Nullable Merged next() {
    byte[] least = null;
    for (AtNode node : nodes) {
      PastStore.Difference current = node.current();
      if (current != null && (least == null || Arrays.compareUnsigned(current.key(), least) < 0)) {
        least = current.key();
      }
    }
    return least == null ? null : merged(least);
  }

  private Merged merged(byte[] key) {
    List<Versioned> before = new ArrayList<>();
    List<Versioned> after = new ArrayList<>();
    List<Integer> differing = new ArrayList<>();
    for (AtNode node : nodes) {
      PastStore.Difference current = node.current();
      if (current != null && Arrays.equals(current.key(), key)) {
        before.addAll(current.before());
        after.addAll(current.after());
        differing.add(node.node);
        node.advance();
      }
    }
    String text = new String(key, StandardCharsets.UTF_8);
    return new Merged(text, value(before), value(after), differing);
  }

  private static @Nullable String value(List<Versioned> versions) {
    Versioned first = Siblings.resolve(Siblings.merge(versions, List.of()));
    return first == null ? null : first.text();
  }

  /** Goes through the differences at one node. */
  private static final class AtNode {
    private final PastStore past;
    private final int node;
    private final PastStore.Point before;
    private final PastStore.Point after;
    private PastStore.Page page;
    private int next;

    AtNode(PastStore past, int node, PastStore.Point before, PastStore.Point after) {
      this.past = past;
      this.node = node;
      this.before = before;
      this.after = after;
      this.page = past.differenceAt(node, before, after, null);
      skipEmptyPages();
    }

    PastStore.@Nullable Difference current() {
      return next < page.keys().size() ? page.keys().get(next) : null;
    }

    void advance() {
      next++;
      skipEmptyPages();
    }

    private void skipEmptyPages() {
      while (next >= page.keys().size() && page.end() != null) {
        page = past.differenceAt(node, before, after, page.end());
        next = 0;
      }
    }
  }
}
