package io.palinode.hazelcast.boot;

import org.jspecify.annotations.Nullable;

/** Observes members. Called by Hazelcast's threads. */
public interface Listener {
  /**
   * A member is about to start. May wait. Throws to refuse the start.
   *
   * @param node Hazelcast's
   */
  void starting(Object node);

  /**
   * The start has ended: the member is in its cluster, unless the start failed. May wait.
   *
   * @param failure null if the member runs
   */
  void started(Object node, @Nullable Throwable failure);

  /**
   * An operation of a map is about to run. Throws to refuse it.
   *
   * @param operation Hazelcast's
   */
  void operationBegins(Object operation);

  /**
   * A partition is about to move. Throws to refuse it: Hazelcast tries again.
   *
   * @param context of the maps
   * @param event the migration
   */
  void migrationBegins(Object context, Object event);

  /**
   * The store of a map in a partition gets its observers.
   *
   * @param store the record store
   * @param observers to add one to
   */
  void storeCreated(Object store, Object observers);
}
