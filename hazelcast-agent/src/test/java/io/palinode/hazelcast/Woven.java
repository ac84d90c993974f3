package io.palinode.hazelcast;

import net.bytebuddy.agent.ByteBuddyAgent;

/** The weaves of this process. A test that loads Hazelcast's classes asks for them first. */
public final class Woven {
  static {
    MemberWeaver.install(
        ByteBuddyAgent.install(),
        (type, failure) -> {
          throw new IllegalStateException(type, failure);
        });
  }

  private Woven() {}

  /** Throws if a class was loaded before it could be woven. */
  public static void require() {}
}
