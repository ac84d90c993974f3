package io.palinode.detector.terms;

import io.palinode.detector.binding.StaleRead;
import io.palinode.detector.binding.Unseen;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.terms.TermIndex.Match;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Condition;
import io.palinode.predicate.template.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What holds at a key, from all its siblings; nothing does where there are none. What a term cannot
 * read makes it false and is counted: a value that is needed as text and is not UTF-8, a value or a
 * capture that is compared with a decimal and is none. Thread-safe.
 */
public final class Truth {
  private final LongAdder valuesRefused = new LongAdder();

  /** O(terms · siblings). */
  public List<Holding> of(List<Match> matches, List<Version> siblings) {
    List<Holding> holding = new ArrayList<>();
    for (Version version : siblings) {
      addHeldBy(version, matches, holding);
    }
    return holding;
  }

  private void addHeldBy(Version version, List<Match> matches, List<Holding> holding) {
    Value value = null;
    for (Match match : matches) {
      WatchedTerm term = match.term();
      if (term.isState() || term.isOfOperations()) {
        continue;
      }
      if (!term.readsText()) {
        if (term.isMadeTrueBy(version.value())) {
          addIfAdmitted(term, match.byKey(), version, holding);
        }
        continue;
      }
      value = value == null ? read(version) : value;
      if (value == null) {
        valuesRefused.increment();
        return;
      }
      @Nullable Binding binding = term.bind(match.byKey(), value);
      if (binding != null) {
        addIfAdmitted(term, binding, version, holding);
      }
    }
    if (value != null && value.isRefused()) {
      valuesRefused.increment();
    }
  }

  /**
   * Adds the lost updates that {@code written} makes, and keeps the terms of operations of versions
   * that are still there: such a term is true of a version until that is superseded. Values are not
   * read.
   *
   * @param open what holds at the key before the write
   */
  public void addOfOperations(
      List<Match> matches, WriteEvent event, List<Holding> open, List<Holding> holding) {
    for (Holding before : open) {
      if (before.term().isOfOperations()
          && event.siblings().stream().anyMatch(before.version()::isSameWriteAs)) {
        holding.add(before);
      }
    }
    Version written = event.written();
    Unseen unseen = event.unseen();
    if (written == null || unseen == null) {
      return;
    }
    for (Match match : matches) {
      if (match.term().isLostUpdate() && isAdmitted(match)) {
        holding.add(new Holding(match.term(), match.byKey(), written, unseen));
      }
    }
  }

  /** The terms that this read makes true. */
  public List<Holding> of(List<Match> matches, StaleRead read) {
    return matches.stream()
        .filter(match -> match.term().isMadeTrueBy(read) && isAdmitted(match))
        .map(match -> new Holding(match.term(), match.byKey(), read.read(), read.before()))
        .toList();
  }

  private static @Nullable Value read(Version version) {
    String text = Utf8.decode(version.value());
    return text == null ? null : new Value(text);
  }

  private void addIfAdmitted(
      WatchedTerm term, Binding binding, Version version, List<Holding> holding) {
    Condition broken = term.brokenBy(binding);
    if (broken == null) {
      holding.add(new Holding(term, binding, version));
    } else if (broken.refuses(binding)) {
      valuesRefused.increment();
    }
  }

  /** Whether the conditions of the term's predicate let the binding be watched. */
  public boolean isAdmitted(Match match) {
    Condition broken = match.term().brokenBy(match.byKey());
    if (broken != null && broken.refuses(match.byKey())) {
      valuesRefused.increment();
    }
    return broken == null;
  }

  public long valuesRefused() {
    return valuesRefused.sum();
  }
}
