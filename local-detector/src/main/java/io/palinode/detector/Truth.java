package io.palinode.detector;

import io.palinode.detector.TermIndex.Match;
import io.palinode.predicate.Binding;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What holds at a key, from all its siblings. A value that is needed as text and is not UTF-8 makes
 * nothing true and is counted. Thread-safe.
 */
final class Truth {
  private final LongAdder valuesRefused = new LongAdder();

  /** O(terms · siblings). */
  List<Holding> of(List<Match> matches, List<Version> siblings) {
    List<Holding> holding = new ArrayList<>();
    for (Version version : siblings) {
      addHeldBy(version, matches, holding);
    }
    return holding;
  }

  private void addHeldBy(Version version, List<Match> matches, List<Holding> holding) {
    String text = null;
    for (Match match : matches) {
      WatchedTerm term = match.term();
      if (!term.readsText()) {
        if (term.isMadeTrueBy(version.value())) {
          holding.add(new Holding(term, match.byKey(), version));
        }
        continue;
      }
      text = text == null ? Utf8.decode(version.value()) : text;
      if (text == null) {
        valuesRefused.increment();
        return;
      }
      @Nullable Binding binding = term.bind(match.byKey(), text);
      if (binding != null) {
        holding.add(new Holding(term, binding, version));
      }
    }
  }

  long valuesRefused() {
    return valuesRefused.sum();
  }
}
