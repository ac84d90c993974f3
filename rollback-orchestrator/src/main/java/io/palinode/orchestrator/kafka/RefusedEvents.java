package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.Event;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.Topics;

/** Records that the machine skipped because it threw, or because their epoch is invalid. */
record RefusedEvents(Topics topics, RefusedRecords refused) {
  /** Whether the event is a record of a topic; other events must not be skipped. */
  static boolean isOfATopic(Event event) {
    return event instanceof Event.ControlRead
        || event instanceof Event.PolicyChanged
        || event instanceof Event.ViolationFound
        || event instanceof Event.Judged
        || event instanceof Event.CoverageLost
        || event instanceof Event.PhantomFound
        || event instanceof Event.ViolationEnded;
  }

  void refuse(Event event, RuntimeException why) {
    refused.refuse(topic(event), why);
  }

  private String topic(Event event) {
    if (event instanceof Event.ControlRead) {
      return topics.control();
    }
    return event instanceof Event.PolicyChanged ? topics.predicates() : topics.violations();
  }
}
