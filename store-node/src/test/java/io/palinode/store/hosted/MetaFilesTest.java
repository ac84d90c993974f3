package io.palinode.store.hosted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageException;
import io.palinode.store.hosted.MetaFiles.Planned;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetaFilesTest {
  @TempDir private Path folder;

  @Test
  void aJournalIsReadAsItWasWritten() {
    MetaFiles files = new MetaFiles(folder);
    assertThat(files.journal()).isEmpty();
    files.writeJournal(
        List.of(
            new Planned(new Change("s", bytes("k"), bytes("v")), bytes("old")),
            new Planned(new Change("t", bytes("l"), null), null)));

    List<Planned> read = new MetaFiles(folder).journal();
    assertThat(read).extracting(each -> each.change().store()).containsExactly("s", "t");
    assertThat(read.get(0).change().key()).isEqualTo(bytes("k"));
    assertThat(read.get(0).change().record()).isEqualTo(bytes("v"));
    assertThat(read.get(0).before()).isEqualTo(bytes("old"));
    assertThat(read.get(1).change().record()).isNull();
    assertThat(read.get(1).before()).isNull();
    files.removeJournal();
    assertThat(files.journal()).isEmpty();
  }

  @Test
  void aDamagedJournalIsRefusedByName() throws IOException {
    MetaFiles files = new MetaFiles(folder);
    files.writeJournal(List.of(new Planned(new Change("s", bytes("k"), bytes("v")), null)));
    byte[] damaged = Files.readAllBytes(folder.resolve("journal"));
    damaged[8] ^= 1;
    Files.write(folder.resolve("journal"), damaged);
    assertThatThrownBy(files::journal)
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("journal");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
