package io.palinode.orchestrator.rest.events;

import static org.awaitility.Awaitility.await;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.Wait;
import io.palinode.orchestrator.history.ChangeLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The thread that adds waits and nodes to the log. */
class EventStreamsFailureTest {
  private final ChangeLog log = new ChangeLog();
  private final AtomicInteger looks = new AtomicInteger();

  @Test
  void aFailedLookDoesNotEndTheEventsOfWaits() {
    try (EventStreams streams =
        new EventStreams(log, this::look, change -> new StreamedEvent("any", change))) {
      streams.start();
      await().atMost(Duration.ofSeconds(30)).until(() -> log.last() > 0);
    }
  }

  private EventStreams.Look look() {
    if (looks.incrementAndGet() == 1) {
      throw new IllegalStateException("a defect");
    }
    Wait wait = new Wait(Wait.Reason.NODE, 1, 5, "node 1 is silent", "start it");
    return new EventStreams.Look(
        new Judgement(List.of(wait), true, 0, 1, 10),
        List.of(),
        new EventStreams.SafePoint(Hlc.format(1), Hlc.format(1)));
  }
}
