package io.palinode.agent.boot;

import io.palinode.loader.NestedJarLoader;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts the agent: with {@code client} or {@code client:FILE} in an application that uses
 * Voldemort's client, otherwise in a server. If the configuration is wrong or the server's version
 * unknown, the process ends with the reason before it opens anything.
 */
public final class Premain {
  private static final int EXIT_REFUSED = 2;
  private static final String SHARED = "io.palinode.agent.boot.";
  private static final String CLIENT = "client";
  private static final String OF_CLIENT = "io.palinode.agent.client.ClientAgent";
  private static final String OF_SERVER = "io.palinode.agent.Agent";

  private Premain() {}

  public static void premain(@Nullable String argument, Instrumentation instrumentation)
      throws IOException, ReflectiveOperationException {
    String given = argument == null ? "" : argument;
    boolean isClient = given.equals(CLIENT) || given.startsWith(CLIENT + ":");
    NestedJarLoader loader = NestedJarLoader.open("palinode-agent", Premain.class, List.of(SHARED));
    Thread thread = Thread.currentThread();
    ClassLoader ofTheServer = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      loader
          .loadClass(isClient ? OF_CLIENT : OF_SERVER)
          .getMethod("start", String.class, Instrumentation.class)
          .invoke(null, isClient ? fileOf(given) : given, instrumentation);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getTargetException();
      // There is no log yet, and this must not initialise the server's log.
      System.err.println("palinode-agent: " + cause.getMessage());
      if (!(cause instanceof IllegalArgumentException)) {
        System.err.println("palinode-agent: " + Arrays.toString(cause.getStackTrace()));
      }
      // A server that must be watched does not start unwatched.
      System.exit(EXIT_REFUSED);
    } finally {
      thread.setContextClassLoader(ofTheServer);
    }
  }

  private static String fileOf(String client) {
    return client.equals(CLIENT) ? "" : client.substring(CLIENT.length() + 1);
  }
}
