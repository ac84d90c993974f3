package io.palinode.cli;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** Interrupts a thread of another JVM, as if it had failed. */
public final class EndThread {
  private EndThread() {}

  /**
   * Interrupts the thread of the process.
   *
   * @param folder gets the jar that the process loads
   */
  static void of(Process process, String thread, Path folder)
      throws IOException,
          AttachNotSupportedException,
          AgentLoadException,
          AgentInitializationException {
    VirtualMachine other = VirtualMachine.attach(Long.toString(process.pid()));
    try {
      other.loadAgent(jar(folder).toString(), thread);
    } finally {
      other.detach();
    }
  }

  private static Path jar(Path folder) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Agent-Class", EndThread.class.getName());
    String name = EndThread.class.getName().replace('.', '/') + ".class";
    Path jar = folder.resolve("end-thread.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        InputStream type =
            Objects.requireNonNull(EndThread.class.getClassLoader().getResourceAsStream(name))) {
      out.putNextEntry(new JarEntry(name));
      type.transferTo(out);
    }
    return jar.toAbsolutePath();
  }

  /** Runs in the other JVM. */
  public static void agentmain(String thread) {
    Thread.getAllStackTraces().keySet().stream()
        .filter(one -> one.getName().equals(thread))
        .forEach(Thread::interrupt);
  }
}
