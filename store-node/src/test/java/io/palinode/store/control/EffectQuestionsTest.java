package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.Accessed;
import io.palinode.wire.v1.EffectAccessed;
import io.palinode.wire.v1.EffectAsked;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class EffectQuestionsTest {
  private final EffectQuestions questions = new EffectQuestions(2);

  @Test
  void aQuestionIsAnsweredOnceAllNodesHaveSentAllPieces() {
    questions.ask(asked("q"));
    assertThat(questions.add(answer("q", 0, false))).isNull();
    assertThat(questions.add(answer("q", 1, true))).isNull();
    assertThat(questions.add(answer("other", 0, true))).as("an unknown question").isNull();
    EffectQuestions.Question done =
        Objects.requireNonNull(questions.add(answer("q", 0, true)), "all nodes have answered");
    assertThat(done.asked()).isEqualTo(asked("q"));
    assertThat(done.accessed()).hasSize(3);
    assertThat(questions.add(answer("q", 0, true))).as("it is answered").isNull();
  }

  @Test
  void oneNodeThatAnswersTwiceCountsOnce() {
    questions.ask(asked("q"));
    assertThat(questions.add(answer("q", 0, true))).isNull();
    assertThat(questions.add(answer("q", 0, true))).isNull();
    assertThat(questions.add(answer("q", 1, true))).isNotNull();
  }

  @Test
  void theOldestOfTooManyIsForgotten() {
    for (int i = 0; i <= EffectQuestions.OPEN_MAX; i++) {
      questions.ask(asked("q" + i));
    }
    for (int i = 0; i <= EffectQuestions.OPEN_MAX; i++) {
      assertThat(questions.add(answer("q" + i, 0, true))).isNull();
    }
    assertThat(questions.add(answer("q0", 1, true))).isNull();
    assertThat(questions.add(answer("q1", 1, true))).isNotNull();
  }

  private static EffectAsked asked(String name) {
    return EffectAsked.newBuilder().setRequest(name).setTarget(7).build();
  }

  private static EffectAccessed answer(String name, int node, boolean last) {
    return EffectAccessed.newBuilder()
        .setRequest(name)
        .setAccessed(Accessed.newBuilder().setNode(node).setLast(last))
        .build();
  }
}
