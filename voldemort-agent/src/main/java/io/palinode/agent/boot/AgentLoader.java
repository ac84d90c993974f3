package io.palinode.agent.boot;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Loads the agent's classes and libraries, separate from those of the server. Of the server's side
 * it sees only the JDK and {@code io.palinode.agent.boot}.
 *
 * <p>The libraries are jars in the agent's jar. They are unpacked into a folder of this process
 * below {@code java.io.tmpdir}. An orderly end removes the folder; otherwise the next start of an
 * agent on this machine does.
 */
final class AgentLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  private static final String SHARED = "io.palinode.agent.boot.";
  private static final String LIBRARIES = "lib/";
  private static final String FOLDER = "palinode-agent-";

  private final ClassLoader shared;

  private AgentLoader(URL[] urls, ClassLoader shared) {
    super("palinode-agent", urls, ClassLoader.getPlatformClassLoader());
    this.shared = shared;
  }

  /** A loader over the agent's jar. {@code shared} is the loader of this class. */
  static AgentLoader open(Path agentJar, ClassLoader shared) throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    sweep(temporary);
    Path folder =
        Files.createTempDirectory(temporary, FOLDER + ProcessHandle.current().pid() + "-");
    folder.toFile().deleteOnExit();
    List<URL> urls = new ArrayList<>();
    urls.add(agentJar.toUri().toURL());
    try (JarFile jar = new JarFile(agentJar.toFile())) {
      Enumeration<JarEntry> entries = jar.entries();
      while (entries.hasMoreElements()) {
        JarEntry entry = entries.nextElement();
        if (entry.getName().startsWith(LIBRARIES) && entry.getName().endsWith(".jar")) {
          urls.add(unpacked(jar, entry, folder).toUri().toURL());
        }
      }
    }
    return new AgentLoader(urls.toArray(URL[]::new), shared);
  }

  private static Path unpacked(JarFile jar, JarEntry entry, Path folder) throws IOException {
    Path file = folder.resolve(Path.of(entry.getName()).getFileName());
    try (InputStream in = jar.getInputStream(entry)) {
      Files.copy(in, file);
    }
    file.toFile().deleteOnExit();
    return file;
  }

  /** Removes the folders of killed processes. */
  private static void sweep(Path temporary) {
    try (var folders = Files.newDirectoryStream(temporary, FOLDER + "*")) {
      for (Path folder : folders) {
        if (isLeft(folder)) {
          remove(folder);
        }
      }
    } catch (IOException e) {
      // Another user's folder, or already removed: it only takes disk space.
      return;
    }
  }

  private static boolean isLeft(Path folder) {
    String rest = folder.getFileName().toString().substring(FOLDER.length());
    int dash = rest.indexOf('-');
    try {
      return dash > 0 && ProcessHandle.of(Long.parseLong(rest.substring(0, dash))).isEmpty();
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static void remove(Path folder) throws IOException {
    try (var files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(folder);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    return name.startsWith(SHARED) ? shared.loadClass(name) : super.loadClass(name, resolve);
  }
}
