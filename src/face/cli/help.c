/* help.c - what the verbs' table says of itself: help, man page, completion.  Declared in cli.h. */

#include <string.h>

#include "face/cli/cli.h"

void kvc_help_program(FILE *out)
{
    fputs("kvcap: plans and checks the memory that an LLM server's KV cache takes.\n\n", out);
    for (size_t i = 0; i < kvc_verbs_count; i++)
        fprintf(out, "  kvcap %-9s %s\n", kvc_verbs[i].name, kvc_verbs[i].sentence);
    fputs("\nkvcap VERB --help shows an example first, then the flags.\n"
          "Exit: 0 yes, 1 no, 2 usage or invalid input, 3 cannot be said, 4 the world failed.\n",
          out);
}

static int flag_width(const struct kvc_flag *flag)
{
    return (int)(strlen(flag->name) + (flag->value == NULL ? 0 : 1 + strlen(flag->value)));
}

static const char *dashes(const struct kvc_flag *flag)
{
    return flag->name[1] == '\0' ? "-" : "--";
}

void kvc_help_verb(const struct kvc_verb *verb, FILE *out)
{
    int widest = 0;
    for (size_t i = 0; i < verb->flags_count; i++)
        widest = flag_width(&verb->flags[i]) > widest ? flag_width(&verb->flags[i]) : widest;

    for (const char *line = verb->example; *line != '\0';) {
        int length = (int)strcspn(line, "\n");
        fprintf(out, "  $ %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
    /* What stands behind -- is another program's, so our flags stand before it. */
    bool ends = strstr(verb->operands, "-- ") != NULL;
    fprintf(out, "\n%s\nusage: %s %s%s%s%s%s\n\n", verb->sentence, kvc_program, verb->name,
            ends ? " [flags]" : "", verb->operands[0] == '\0' ? "" : " ", verb->operands,
            ends ? "" : " [flags]");
    for (size_t i = 0; i < verb->flags_count; i++) {
        const struct kvc_flag *flag = &verb->flags[i];
        int pad = widest + 2 - (int)strlen(dashes(flag)) + 2 - flag_width(flag);
        fprintf(out, "  %s%s%s%s%*s%s%s\n", dashes(flag), flag->name,
                flag->value == NULL ? "" : " ", flag->value == NULL ? "" : flag->value, pad, "",
                flag->text, flag->many ? " (may be repeated)" : "");
    }
    if (verb->notes != NULL)
        fprintf(out, "\n%s\n", verb->notes);
}

/* roff takes a leading dot or quote, and a backslash anywhere, as its own. */
static void put_roff(FILE *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        bool begins = c == text || c[-1] == '\n';
        if (begins && (*c == '.' || *c == '\''))
            fputs("\\&", out);
        if (*c == '-')
            fputs("\\-", out);
        else if (*c == '\\')
            fputs("\\e", out);
        else
            fputc(*c, out);
    }
}

static void man_verb(const struct kvc_verb *verb, FILE *out)
{
    fprintf(out, ".SS kvcap %s ", verb->name);
    put_roff(out, verb->operands);
    fputs("\n", out);
    put_roff(out, verb->sentence);
    fputs("\n.PP\n.nf\n", out);
    put_roff(out, verb->example);
    fputs("\n.fi\n", out);
    for (size_t i = 0; i < verb->flags_count; i++) {
        const struct kvc_flag *flag = &verb->flags[i];
        fputs(".TP\n.B ", out);
        put_roff(out, dashes(flag));
        put_roff(out, flag->name);
        if (flag->value != NULL) {
            fputs(" \\fI", out);
            put_roff(out, flag->value);
            fputs("\\fR", out);
        }
        fputs("\n", out);
        put_roff(out, flag->text);
        fputs("\n", out);
    }
    if (verb->notes == NULL)
        return;
    fputs(".PP\n", out);
    put_roff(out, verb->notes);
    fputs("\n", out);
}

void kvc_help_man(FILE *out)
{
    fputs(".TH KVCAP 1 \"\" \"kvcap " KVCAP_VERSION "\" \"User Commands\"\n"
          ".SH NAME\nkvcap \\- plan and check the memory of an LLM server's KV cache\n"
          ".SH SYNOPSIS\n.B kvcap\n.I verb\n[operands] [flags]\n"
          ".SH DESCRIPTION\n"
          "Every answer that somebody may act on is a record: a small JSON document with a "
          "content id, which anybody can derive anew.\n.SH VERBS\n",
          out);
    for (size_t i = 0; i < kvc_verbs_count; i++)
        man_verb(&kvc_verbs[i], out);
    fputs(".SH EXIT STATUS\n"
          "0 yes (FIT, intact, equal). 1 no (EXCEEDS_CAPACITY, ALTERED, "
          "INTACT_BUT_RULES_CHANGED, differs). 2 usage or invalid input. 3 cannot be said "
          "(UNDETERMINED, INCOMPLETE). 4 the world failed (file, memory). Of several inputs the "
          "first present of 4, 2, 1, 3, 0.\n",
          out);
}

void kvc_help_completion(FILE *out)
{
    fputs("_kvcap() {\n    local word=${COMP_WORDS[COMP_CWORD]}\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"",
          out);
    for (size_t i = 0; i < kvc_verbs_count; i++)
        fprintf(out, "%s%s", i == 0 ? "" : " ", kvc_verbs[i].name);
    fputs("\" -- \"$word\"))\n        return\n    fi\n"
          "    case $word in -*) ;; *) COMPREPLY=($(compgen -f -- \"$word\")); return ;; esac\n"
          "    case ${COMP_WORDS[1]} in\n",
          out);
    for (size_t i = 0; i < kvc_verbs_count; i++) {
        fprintf(out, "    %s) COMPREPLY=($(compgen -W \"", kvc_verbs[i].name);
        for (size_t j = 0; j < kvc_verbs[i].flags_count; j++)
            fprintf(out, "%s%s%s", j == 0 ? "" : " ", dashes(&kvc_verbs[i].flags[j]),
                    kvc_verbs[i].flags[j].name);
        fputs("\" -- \"$word\")) ;;\n", out);
    }
    fputs("    esac\n}\ncomplete -F _kvcap kvcap\n", out);
}
