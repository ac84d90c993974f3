package io.palinode.orchestrator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PredicateTextsTest {
  private final PredicateTexts texts = new PredicateTexts(10);

  @Test
  void aVersionThatWasReplacedIsStillKnown() {
    texts.learn("p", 1, "one");
    texts.learn("p", 2, "two");
    assertThat(texts.get("p", 1)).isEqualTo("one");
    assertThat(texts.get("p", 2)).isEqualTo("two");
    assertThat(texts.get("p", 3)).isNull();
  }

  @Test
  void aDeletionHasNoText() {
    texts.learn("p", 1, "");
    assertThat(texts.get("p", 1)).isNull();
  }

  @Test
  void theOldestGoFirstAndTheNewestStaysWhateverItsSize() {
    texts.learn("p", 1, "four");
    texts.learn("p", 2, "fives");
    texts.learn("p", 3, "two");
    assertThat(texts.get("p", 1)).isNull();
    assertThat(texts.get("p", 2)).isEqualTo("fives");
    texts.learn("p", 4, "longer than all of it");
    assertThat(texts.get("p", 3)).isNull();
    assertThat(texts.get("p", 4)).isNotNull();
  }
}
