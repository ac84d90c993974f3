package io.palinode.detector.terms;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Terms by the literal prefix of their key template, one node a byte. A look-up goes down the key's
 * bytes as far as any prefix does, and allocates nothing.
 *
 * <p>Each node holds the terms of all prefixes that end on its path, so that the deepest node
 * reached has the whole answer.
 */
final class PrefixTrie {
  private final Node root;

  private PrefixTrie(Node root) {
    this.root = root;
  }

  /** The terms whose prefix {@code key} begins with. */
  List<WatchedTerm> withPrefixOf(byte[] key) {
    Node node = root;
    for (int i = 0; i < key.length; i++) {
      Node child = node.child(key[i]);
      if (child == null) {
        break;
      }
      node = child;
    }
    return node.terms;
  }

  private static final class Node {
    private final byte[] labels;
    private final Node[] children;
    private final List<WatchedTerm> terms;

    private Node(Builder builder, List<WatchedTerm> above) {
      terms = builder.terms.isEmpty() ? above : both(above, builder.terms);
      labels = new byte[builder.children.size()];
      children = new Node[labels.length];
      int i = 0;
      for (var child : builder.children.entrySet()) {
        labels[i] = child.getKey();
        children[i++] = new Node(child.getValue(), terms);
      }
    }

    private static List<WatchedTerm> both(List<WatchedTerm> above, List<WatchedTerm> here) {
      List<WatchedTerm> both = new ArrayList<>(above);
      both.addAll(here);
      return List.copyOf(both);
    }

    private @Nullable Node child(byte label) {
      int at = Arrays.binarySearch(labels, label);
      return at < 0 ? null : children[at];
    }
  }

  static final class Builder {
    private final TreeMap<Byte, Builder> children = new TreeMap<>();
    private final List<WatchedTerm> terms = new ArrayList<>();

    void add(byte[] prefix, WatchedTerm term) {
      Builder node = this;
      for (byte label : prefix) {
        node = node.children.computeIfAbsent(label, b -> new Builder());
      }
      node.terms.add(term);
    }

    PrefixTrie build() {
      return new PrefixTrie(new Node(this, List.of()));
    }
  }
}
