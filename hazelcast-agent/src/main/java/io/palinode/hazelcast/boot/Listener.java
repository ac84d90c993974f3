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
   * Another member asks the master to join its cluster. Throws to refuse it.
   *
   * @param node the master's
   * @param request Hazelcast's
   */
  void joinRequested(Object node, Object request);

  /**
   * A packet of an operation or a response is about to be sent to another member. Throws nothing.
   *
   * @param serialization the serialization service of the sender
   * @param packet Hazelcast's
   * @return the packet to send instead
   */
  Object packetMade(Object serialization, Object packet);

  /**
   * A packet of another member is about to be carried out. Throws nothing.
   *
   * @param engine the node engine of the receiver
   * @param packet Hazelcast's
   */
  void packetReceived(Object engine, Object packet);

  /**
   * The store of a map in a partition gets its observers.
   *
   * @param store the record store
   * @param observers to add one to
   */
  void storeCreated(Object store, Object observers);
}
