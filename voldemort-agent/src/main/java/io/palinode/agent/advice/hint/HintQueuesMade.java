package io.palinode.agent.advice.hint;

import io.palinode.agent.boot.HintQueues;
import java.util.Map;
import net.bytebuddy.asm.Advice;

/** {@code StreamingSlopPusherJob.loadMetadata}, with which each run begins. */
public final class HintQueuesMade {
  private HintQueuesMade() {}

  // Assigned for the woven class: it is a field there.
  @SuppressWarnings("UnusedVariable")
  @Advice.OnMethodExit
  static void exit(@Advice.FieldValue(value = "slopQueues", readOnly = false) Map<?, ?> queues) {
    queues = HintQueues.instead(queues);
  }
}
