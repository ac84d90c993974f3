package io.palinode.agent.client;

import io.palinode.agent.boot.Hooks;
import io.palinode.agent.weave.Weaver;
import io.palinode.agent.weave.WeavingTransformer;
import io.palinode.store.hosted.Fuse;
import io.palinode.voldemort.protocol.Frames;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The entry in an application, called by {@link io.palinode.agent.boot.Premain}. */
public final class ClientAgent {
  private static final Logger log = LoggerFactory.getLogger(ClientAgent.class);
  private static final int FAILURES_MAX = 100;

  private ClientAgent() {}

  /**
   * Starts the agent before any class of Voldemort is loaded. Throws {@link
   * IllegalArgumentException} if the configuration is wrong.
   *
   * @param file the path of the configuration; empty for none
   */
  public static void start(String file, Instrumentation instrumentation) throws IOException {
    String name =
        defaultName(ProcessHandle.current().pid(), () -> InetAddress.getLocalHost().getHostName());
    ClientAgentConfig config =
        file.isEmpty() ? ClientAgentConfig.defaults(name) : configured(Path.of(file), name);
    Fuse fuse = new Fuse("this client sends no context", FAILURES_MAX, () -> {}, ClientAgent::off);
    new WeavingTransformer(
            Weaver.ofClient(), type -> fuse.blow("class " + type + " could not be woven"))
        .install(instrumentation);
    Hooks.listen(new ClientHooks(config, fuse));
    log.info("agent client={} state=ATTACHED", config.client());
  }

  /** The network name of this machine, which a container may lack. */
  interface HostName {
    String get() throws UnknownHostException;
  }

  /** The default name of this client. */
  static String defaultName(long pid, HostName host) {
    try {
      String name = "java-%d@%s".formatted(pid, host.get());
      return name.substring(0, Math.min(name.length(), Frames.CLIENT_ID_MAX));
    } catch (UnknownHostException unnamed) {
      return "java-" + pid;
    }
  }

  private static ClientAgentConfig configured(Path file, String name) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("its configuration cannot be read: " + file);
    }
    return ClientAgentConfig.parse(file.toString(), Files.readString(file), name);
  }

  private static void off() {
    Hooks.listen(null);
  }
}
