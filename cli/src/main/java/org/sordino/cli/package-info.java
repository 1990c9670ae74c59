/**
 * The command line. {@link org.sordino.cli.Main} lists the commands; each command is a class that
 * parses options, calls the library and prints.
 */
@NullMarked
package org.sordino.cli;

import org.jspecify.annotations.NullMarked;
