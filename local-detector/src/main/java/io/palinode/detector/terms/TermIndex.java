package io.palinode.detector.terms;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.detector.binding.StoreKey;
import io.palinode.predicate.Clause;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Template;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which terms of the active predicates speak of a key: exact keys by hash, key templates by a trie
 * of their literal prefixes. Immutable and thread-safe.
 *
 * <p>A key that no predicate names, and that begins with no template's prefix, costs one hash, one
 * probe and a walk down the trie, and allocates nothing.
 */
public final class TermIndex {
  public static final TermIndex EMPTY = of(List.of());

  /** A term, and the captures that the key alone determines. */
  public record Match(WatchedTerm term, Binding byKey) {}

  private final ExactKeys exact;
  private final PrefixTrie templates;

  /** What all variables begin with; the whole name of one without captures. */
  private final NavigableSet<String> prefixes;

  /** Whether a term names its store. */
  private final boolean byStore;

  private final boolean hasStates;
  private final boolean hasOperations;

  private TermIndex(
      ExactKeys exact,
      PrefixTrie templates,
      NavigableSet<String> prefixes,
      boolean byStore,
      boolean hasStates,
      boolean hasOperations) {
    this.exact = exact;
    this.templates = templates;
    this.prefixes = prefixes;
    this.byStore = byStore;
    this.hasStates = hasStates;
    this.hasOperations = hasOperations;
  }

  /** O(terms) time and memory, if few prefixes begin with another one. */
  public static TermIndex of(Collection<ActivePredicate> predicates) {
    ExactKeys.Builder exact = new ExactKeys.Builder();
    PrefixTrie.Builder templates = new PrefixTrie.Builder();
    TreeSet<String> prefixes = new TreeSet<>();
    boolean byStore = false;
    boolean hasStates = false;
    boolean hasOperations = false;
    for (ActivePredicate active : predicates) {
      for (WatchedTerm term : terms(active)) {
        byStore |= term.term().store() != null;
        hasStates |= term.isState();
        hasOperations |= term.isOfOperations();
        Template variable = term.term().variable();
        prefixes.add(variable.prefix());
        byte[] prefix = variable.prefix().getBytes(UTF_8);
        if (variable.captures().isEmpty()) {
          exact.add(prefix, new Match(term, Binding.NONE));
        } else {
          templates.add(prefix, term);
        }
      }
    }
    return new TermIndex(
        exact.build(), templates.build(), prefixes, byStore, hasStates, hasOperations);
  }

  private static List<WatchedTerm> terms(ActivePredicate active) {
    List<WatchedTerm> terms = new ArrayList<>();
    List<Clause> clauses = active.predicate().violation();
    for (int clause = 0; clause < clauses.size(); clause++) {
      for (int index = 0; index < clauses.get(clause).terms().size(); index++) {
        terms.add(new WatchedTerm(active, clause, index));
      }
    }
    return terms;
  }

  /** Whether a term compares replicas. */
  public boolean hasStates() {
    return hasStates;
  }

  /** Whether a term is about the operation that wrote or read a value. */
  public boolean hasOperations() {
    return hasOperations;
  }

  /** Whether a term may speak of a key that begins so. False only if none does. */
  public boolean mayMatchBelow(byte[] prefix) {
    String text = Utf8.decode(prefix);
    if (text == null) {
      // A character may continue after it.
      return true;
    }
    String next = prefixes.ceiling(text);
    return (next != null && next.startsWith(text)) || !templates.withPrefixOf(prefix).isEmpty();
  }

  /** The terms that speak of {@code key}. Keys that are not UTF-8 have none. */
  public List<Match> match(StoreKey key) {
    List<Match> matches = match(key.key());
    return byStore && !matches.isEmpty()
        ? matches.stream().filter(match -> match.term().term().isOfStore(key.store())).toList()
        : matches;
  }

  private List<Match> match(byte[] key) {
    List<Match> byHash = exact.get(key);
    List<WatchedTerm> byPrefix = templates.withPrefixOf(key);
    return byPrefix.isEmpty() ? byHash : both(byHash, byPrefix, key);
  }

  private static List<Match> both(List<Match> byHash, List<WatchedTerm> byPrefix, byte[] key) {
    String text = Utf8.decode(key);
    if (text == null) {
      return List.of();
    }
    List<Match> matches = new ArrayList<>(byHash);
    for (int i = 0; i < byPrefix.size(); i++) {
      WatchedTerm term = byPrefix.get(i);
      @Nullable Binding byKey = term.term().variable().match(text);
      if (byKey != null) {
        matches.add(new Match(term, byKey));
      }
    }
    return matches;
  }
}
