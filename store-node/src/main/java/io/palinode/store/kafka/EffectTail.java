package io.palinode.store.kafka;

import io.palinode.store.control.EffectAnswers;
import io.palinode.store.control.EffectQuestions;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.EffectAsked;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers questions about the effect of a rollback, in its own thread, one question after the
 * other: no plan waits for it. Questions from before the start of the node get no answer.
 */
final class EffectTail implements ControlListener, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EffectTail.class);
  private static final int QUESTIONS_MAX = 16;
  private static final Duration CLOSE_MAX = Duration.ofSeconds(10);

  private final int node;
  private final EffectAnswers answers;
  private final ThreadPoolExecutor thread;
  private final LongAdder failures = new LongAdder();
  // Of the tail's thread.
  private final EffectQuestions questions;
  private boolean caughtUp;

  EffectTail(int node, int nodes, EffectAnswers answers) {
    this.node = node;
    this.questions = new EffectQuestions(nodes);
    this.answers = answers;
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUESTIONS_MAX),
            task -> {
              Thread made = new Thread(task, "palinode-node-%d-effect".formatted(node));
              made.setDaemon(true);
              return made;
            });
    thread.allowCoreThreadTimeOut(true);
  }

  @Override
  public void onStep(ControlRecord step) {
    if (!caughtUp || !step.hasEffect()) {
      return;
    }
    if (step.getEffect().hasAccessed()) {
      EffectQuestions.Question answerable = questions.add(step.getEffect().getAccessed());
      if (answerable != null) {
        execute(
            answerable.asked(), () -> answers.answer(answerable.asked(), answerable.accessed()));
      }
    } else if (step.getEffect().hasAsked()) {
      EffectAsked asked = step.getEffect().getAsked();
      if (asked.hasAffected()) {
        questions.ask(asked);
      }
      execute(asked, () -> answers.answer(asked));
    }
  }

  private void execute(EffectAsked asked, Runnable answer) {
    try {
      thread.execute(() -> answer(asked, answer));
    } catch (RejectedExecutionException e) {
      failures.increment();
      log.error("node={} effect={} refused", node, asked.getRequest(), e);
    }
  }

  @Override
  public void onCaughtUp() {
    caughtUp = true;
  }

  /** The one place that catches any exception: a store may throw any. */
  private void answer(EffectAsked asked, Runnable answer) {
    try {
      answer.run();
    } catch (KafkaException unpublished) {
      failures.increment();
      log.error("node={} effect={} state=NOT_PUBLISHED", node, asked.getRequest(), unpublished);
    } catch (RuntimeException e) {
      failures.increment();
      log.error("node={} effect={} state=FAILED", node, asked.getRequest(), e);
      answers.failed(asked, e);
    }
  }

  /** Questions without an answer, or with a failure as the answer. */
  long failures() {
    return failures.sum();
  }

  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn("node={} a question is still being answered", node);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
