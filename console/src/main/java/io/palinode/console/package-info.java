/** The console: a page that shows the REST API to a person. */
@NullMarked
package io.palinode.console;

import org.jspecify.annotations.NullMarked;
