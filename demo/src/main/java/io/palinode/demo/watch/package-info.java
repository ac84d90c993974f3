/** What the detector and the orchestrator publish during a demo. */
@NullMarked
package io.palinode.demo.watch;

import org.jspecify.annotations.NullMarked;
