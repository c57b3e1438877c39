// Wide characters and multibyte conversion.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
    printf("%s\n", setlocale(LC_ALL, "C.UTF-8") ? "utf-8" : "none");
    const char *text = "Gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80";
    wchar_t wide[32];
    size_t count = mbstowcs(wide, text, 32);
    printf("%zu:", count);
    for (size_t i = 0; i < count; i++)
        printf(" %x", (unsigned)wide[i]);
    printf("\n%ls|%10ls|%lc\n", wide, L"abc", (wint_t)L'z');
    char back[64];
    count = wcstombs(back, wide, sizeof back);
    printf("%zu %d\n", count, strcmp(back, text));
    printf("%zu %d %d\n", wcslen(wide), wcscmp(L"abc", L"abd") < 0, wcsncmp(L"abc", L"abd", 2));
    wchar_t formatted[64];
    swprintf(formatted, 64, L"%d %ls %.2f", 42, L"wide", 2.5);
    printf("%ls\n", formatted);
    printf("%ld %g\n", wcstol(L"-77 rest", 0, 10), wcstod(L"1.25e2", 0));
    printf("%d %d %d\n", !!iswalpha(L'q'), !!iswdigit(L'7'), (int)towupper(L'q'));
    mbstate_t state = {0};
    wchar_t one;
    printf("%zd", mbrtowc(&one, "\xe2\x82", 2, &state));
    count = mbrtowc(&one, "\xac", 1, &state);
    printf(" %zu %x\n", count, (unsigned)one);
    printf("%d\n", wcsstr(L"needle in hay", L"in") != NULL);
    return 0;
}
