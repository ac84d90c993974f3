package io.palinode.benchmarks.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StockVoldemortTest {
  @TempDir private Path folder;

  @Test
  void missingFilesAreReported() throws IOException {
    jar("lib/je-5.0.73.jar", "com/sleepycat/je/Environment.class");
    assertThatThrownBy(() -> StockVoldemort.in(folder))
        .hasMessageContaining("must hold Voldemort itself")
        .hasMessageContaining("protobuf-java-2.3.0.jar")
        .hasMessageContaining("voldemort/xml/cluster.xsd")
        .hasMessageContaining(folder.toString())
        .hasMessageNotContaining("Berkeley");
    assertThatThrownBy(() -> StockVoldemort.in(folder.resolve("absent")))
        .hasMessageContaining("Berkeley");
  }

  @Test
  void classesAndJarsAreFoundBelowTheFolder() throws IOException {
    Path server = folder.resolve("classes/voldemort/server/VoldemortServer.class");
    Files.createDirectories(server.getParent());
    Files.createFile(server);
    jar("lib/je-5.0.73.jar", "com/sleepycat/je/Environment.class");
    jar(
        "lib/rest.jar",
        "voldemort/xml/cluster.xsd",
        "com/google/protobuf/Message.class",
        "org/jdom/Document.class",
        "org/apache/log4j/Logger.class",
        "org/apache/commons/lang/StringUtils.class",
        "com/google/common/collect/Lists.class");
    jar("lib/voldemort-sources.jar", "voldemort/Nothing.java");

    StockVoldemort found = StockVoldemort.in(folder);
    assertThat(found.folder()).isEqualTo(folder);
    assertThat(found.classPath())
        .containsExactly(
            folder.resolve("classes").toAbsolutePath(),
            folder.resolve("lib/je-5.0.73.jar").toAbsolutePath(),
            folder.resolve("lib/rest.jar").toAbsolutePath());
  }

  private void jar(String name, String... entries) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
      for (String entry : entries) {
        jar.putNextEntry(new ZipEntry(entry));
      }
    }
  }
}
