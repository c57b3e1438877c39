// StEAM's cash dispensers: DISPENSERS machines draw on a common database of accounts. A machine
// reserves the customer's account with VLOCK while it looks and pays. The wrong lock expression
// reserves the account with the number of the machine instead of that on the customer's card: sooner
// or later a machine touches an account that another one has reserved, a privilege violation. With
// -DFIX it reserves what it uses.
//
// check: => error privilege
// check: -DFIX => verified; skip O0+reduce=none
// check: -DFIX -DDISPENSERS=3 => verified; skip reduce=none model=none
#include "ivmthread.h"
#include <atomic>

#ifndef DISPENSERS
#define DISPENSERS 2
#endif
enum { ACCOUNTS = 2, START = 50, AMOUNT = 30 };

struct Account {
    std::atomic<int> balance, paid;
};

static Account accounts[ACCOUNTS];

class Dispenser : public IVMThread {
    int number = 0;

public:
    void set(int which) { number = which; }

    void run() override
    {
        int card;
        RANGE(card, 0, ACCOUNTS - 1);
#ifdef FIX
        Account *reserved = &accounts[card];
#else
        Account *reserved = &accounts[number % ACCOUNTS];
#endif
        VLOCK(reserved);
        int balance = accounts[card].balance;
        if (AMOUNT <= balance) {
            accounts[card].balance = balance - AMOUNT;
            accounts[card].paid += AMOUNT;
        }
        VUNLOCK(reserved);
    }
};

int main()
{
    Dispenser *dispensers = new Dispenser[DISPENSERS];
    for (Account &one : accounts)
        one.balance = START;
    for (int i = 0; i < DISPENSERS; i++)
        dispensers[i].set(i);
    for (int i = 0; i < DISPENSERS; i++)
        dispensers[i].start();
    for (int i = 0; i < DISPENSERS; i++)
        dispensers[i].join();
    delete[] dispensers;
    for (Account &one : accounts)
        VASSERT(0 <= one.balance && one.balance + one.paid == START);
    return 0;
}
