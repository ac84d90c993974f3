package io.palinode.cli;

import java.io.File;
import java.io.IOException;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/**
 * Writes the AsciiDoc of each command's man page into a folder. Only for the build of a release.
 */
final class ManPages {
  private ManPages() {}

  public static void main(String[] folder) throws IOException {
    int status =
        ManPageGenerator.generateManPage(
            new File(folder[0]), null, new boolean[0], true, Main.commandLine().getCommandSpec());
    System.exit(status);
  }
}
