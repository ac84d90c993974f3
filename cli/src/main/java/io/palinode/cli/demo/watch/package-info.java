/** What the detector and the orchestrator publish during a demo. */
@NullMarked
package io.palinode.cli.demo.watch;

import org.jspecify.annotations.NullMarked;
