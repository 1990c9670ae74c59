/**
 * The command line. {@link org.sordino.cli.Main} lists the commands. Each command is a class that
 * parses its options, calls the library and prints the result.
 */
@NullMarked
package org.sordino.cli;

import org.jspecify.annotations.NullMarked;
