package io.palinode.loader;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
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
 * Loads the classes of a jar and its libraries, separate from those of the process that the jar
 * joins. Of the process it sees only the JDK and the packages that it was opened with.
 *
 * <p>The libraries are jars in the jar. They are unpacked into a folder of this process below
 * {@code java.io.tmpdir}. An orderly end removes the folder; otherwise the next start on this
 * machine does.
 */
public final class NestedJarLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  private static final String LIBRARIES = "lib/";

  private final ClassLoader host;
  private final List<String> shared;

  private NestedJarLoader(String name, URL[] urls, ClassLoader host, List<String> shared) {
    super(name, urls, ClassLoader.getPlatformClassLoader());
    this.host = host;
    this.shared = List.copyOf(shared);
  }

  /**
   * A loader over the jar that {@code entry} is in.
   *
   * @param name of the loader, and the beginning of its folder's name
   * @param entry a class that the process has loaded from the jar; its loader is the process's
   * @param shared the beginnings of the names of the classes that are the process's
   */
  public static NestedJarLoader open(String name, Class<?> entry, List<String> shared)
      throws IOException {
    return open(name, jarOf(entry), entry.getClassLoader(), shared);
  }

  private static Path jarOf(Class<?> entry) throws IOException {
    try {
      return Path.of(entry.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException("the place of the jar of " + entry.getName() + " is no file", e);
    }
  }

  private static NestedJarLoader open(
      String name, Path ownJar, ClassLoader host, List<String> shared) throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    sweep(temporary, name + "-");
    Path folder =
        Files.createTempDirectory(temporary, name + "-" + ProcessHandle.current().pid() + "-");
    folder.toFile().deleteOnExit();
    List<URL> urls = new ArrayList<>();
    urls.add(ownJar.toUri().toURL());
    try (JarFile jar = new JarFile(ownJar.toFile())) {
      Enumeration<JarEntry> entries = jar.entries();
      while (entries.hasMoreElements()) {
        JarEntry entry = entries.nextElement();
        if (entry.getName().startsWith(LIBRARIES) && entry.getName().endsWith(".jar")) {
          urls.add(unpacked(jar, entry, folder).toUri().toURL());
        }
      }
    }
    return new NestedJarLoader(name, urls.toArray(URL[]::new), host, shared);
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
  private static void sweep(Path temporary, String prefix) {
    try (var folders = Files.newDirectoryStream(temporary, prefix + "*")) {
      for (Path folder : folders) {
        if (isLeft(folder, prefix)) {
          remove(folder);
        }
      }
    } catch (IOException e) {
      // Another user's folder, or already removed: it only takes disk space.
      return;
    }
  }

  private static boolean isLeft(Path folder, String prefix) {
    String rest = folder.getFileName().toString().substring(prefix.length());
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
    return shared.stream().anyMatch(name::startsWith)
        ? host.loadClass(name)
        : super.loadClass(name, resolve);
  }
}
