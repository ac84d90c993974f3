package io.palinode.hazelcast.advice;

import io.palinode.hazelcast.boot.Hooks;
import net.bytebuddy.asm.Advice;

/** {@code AbstractRecordStore.addMutationObservers}. */
public final class ObserversAdded {
  private ObserversAdded() {}

  @Advice.OnMethodExit
  static void exit(
      @Advice.This Object store, @Advice.FieldValue("mutationObserver") Object observers) {
    Hooks.storeCreated(store, observers);
  }
}
