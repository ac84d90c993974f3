package io.palinode.hazelcast.boot;

import org.jspecify.annotations.Nullable;

/**
 * The entry points of woven methods, and the agent's only static state. Woven code reaches nothing
 * else. Only refusals reach Hazelcast: of a start or a join, and during a plan.
 */
public final class Hooks {
  private static volatile @Nullable Listener listener;

  private Hooks() {}

  public static void listen(@Nullable Listener next) {
    listener = next;
  }

  public static void starting(Object node) {
    Listener now = listener;
    if (now != null) {
      now.starting(node);
    }
  }

  public static void started(Object node, @Nullable Throwable failure) {
    Listener now = listener;
    if (now != null) {
      now.started(node, failure);
    }
  }

  /** Throws what refuses the operation. */
  public static void operationBegins(Object operation) {
    Listener now = listener;
    if (now != null) {
      now.operationBegins(operation);
    }
  }

  /** Throws what refuses the migration. */
  public static void migrationBegins(Object context, Object event) {
    Listener now = listener;
    if (now != null) {
      now.migrationBegins(context, event);
    }
  }

  /** Throws what refuses the join. */
  public static void joinRequested(Object node, Object request) {
    Listener now = listener;
    if (now != null) {
      now.joinRequested(node, request);
    }
  }

  /** Returns the packet to send. */
  public static Object packetMade(Object serialization, Object packet) {
    Listener now = listener;
    return now == null ? packet : now.packetMade(serialization, packet);
  }

  /** The listener counts its failures itself: none may break an operation. */
  public static void packetReceived(Object engine, Object packet) {
    Listener now = listener;
    if (now != null) {
      now.packetReceived(engine, packet);
    }
  }

  /** The listener counts its failures itself: none may break an operation of a map. */
  public static void storeCreated(Object store, Object observers) {
    Listener now = listener;
    if (now != null) {
      now.storeCreated(store, observers);
    }
  }
}
